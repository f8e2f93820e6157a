package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/driver"
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
		fmt.Fprintf(w, "store\t%s\n", st.Store)
		fmt.Fprintf(w, "insights\t%d, %d forgotten\n", st.Memories, st.Forgotten)
		fmt.Fprintf(w, "active day\t%d\t\n", st.ActiveDay)
		if st.Project != "" {
			fmt.Fprintf(w, "project\t%s\n", st.Project)
		}
		fmt.Fprintf(w, "ranker\t%s\n", st.Ranker)
		fmt.Fprintf(w, "index\t%d terms\n", st.Terms)
		for _, m := range st.Models {
			fmt.Fprintf(w, "meaning\t%s\n", describe(m))
		}
		fmt.Fprintf(w, "version\t%s\n", st.Version)
		for _, d := range st.Degraded {
			fmt.Fprintf(w, "degraded\t%s\n", d)
		}
		for _, p := range st.Problems {
			fmt.Fprintf(w, "unreadable\t%v\n", p)
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
