package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/termtext"
)

func (s *shell) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is there, and what is wrong, if anything",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			return s.with(c.Context(), func(e *engine.Engine) error {
				st, err := e.Status(c.Context())
				if err != nil {
					return err
				}
				name, err := s.project(c.Context())
				if err != nil {
					return err
				}
				return s.status(state{
					Store: cfg.Store.String(), Memories: st.Memories, Forgotten: st.Forgotten, ActiveDay: st.Day, Date: st.Date,
					Project: name, Ranker: st.Ranker, Terms: st.Index.Terms, Version: version().Version, Problems: st.Problems,
					Models: st.Models, Degraded: st.Degraded,
				})
			})
		},
	}
}

// state is what status prints.
type state struct {
	Store     string           `json:"store"`
	Memories  int              `json:"memories"`
	Forgotten int              `json:"forgotten"`
	ActiveDay hippo.Day        `json:"active_day"`
	Date      string           `json:"date"`
	Project   string           `json:"project,omitempty"`
	Ranker    hippo.Ranker     `json:"ranker"`
	Terms     int              `json:"terms"`
	Version   string           `json:"version"`
	Problems  []driver.Problem `json:"problems,omitempty"`

	Models   []engine.ModelStatus `json:"models,omitempty"`
	Degraded []string             `json:"degraded,omitempty"`
}

func (s *shell) status(st state) error {
	if s.json {
		return s.printJSON(st)
	}
	return s.table(func(w io.Writer) {
		row := func(name, format string, args ...any) {
			fmt.Fprintf(w, "%s\t%s\n", name, termtext.Line(fmt.Sprintf(format, args...)))
		}
		row("store", "%s", st.Store)
		row("insights", "%d, %d forgotten", st.Memories, st.Forgotten)
		row("active day", "%d", st.ActiveDay)
		if st.Project != "" {
			row("project", "%s", st.Project)
		}
		row("ranker", "%s", st.Ranker)
		row("index", "%d terms", st.Terms)
		for _, m := range st.Models {
			row("meaning", "%s", describe(m))
		}
		row("version", "%s", st.Version)
		for _, d := range st.Degraded {
			row("degraded", "%s", d)
		}
		for _, p := range st.Problems {
			row("unreadable", "%s (was %s): %s", p.Path, p.Was, p.Err)
		}
	})
}

// describe says in a line how far a model is.
func describe(m engine.ModelStatus) string {
	text := m.ID
	if !m.Instant {
		text += fmt.Sprintf(", %d of %d embedded", m.Embedded, m.Memories)
	}
	if m.Serves {
		text += ", serves"
	}
	if m.Error != "" {
		text += ": " + m.Error
	}
	return text
}

// build says which program this is.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Time    string `json:"time,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
}

// version reads what the Go toolchain stamped into the binary.
func version() build {
	b := build{Version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

func (s *shell) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which program this is",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			b := version()
			if s.json {
				return s.printJSON(b)
			}
			_, err := fmt.Fprintf(s.out, "hippo %s %s %s\n", b.Version, b.Commit, b.Go)
			return err
		},
	}
}
