package cli

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine/memory"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
)

func newStatusCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the state of the store, and any problems",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.named()
			if err != nil {
				return err
			}
			return s.withShared(c.Context(), cfg, func(m *engine.Memories) error {
				m, err := located(c.Context(), s, cfg, m)
				if err != nil {
					return err
				}
				st, err := memory.Status(c.Context(), m)
				if err != nil {
					return err
				}
				out := wire.StatusOf(&st)
				out.Store, out.Namespace, out.Version = cfg.Store.String(), cfg.Namespace, version().Version
				out.Notices = cfg.Notices
				scope, _ := engine.CallerOf(m)
				out.Project = scope.Project
				if capture, injection := beside(s, cfg).Excluded(c.Context(), "."); capture+injection != "" {
					out.Excluded = &wire.Excluded{Capture: capture, Injection: injection}
				}
				if out.Captures, err = agents.LastCaptures(); err != nil {
					s.warn("the last captures cannot be read: %v", err)
				}
				if out.Sync, err = knownRemotes(cfg); err != nil {
					s.warn("the remotes of the store cannot be read: %v", err)
				}
				imported := func(path string) bool { return hasImported(c.Context(), m, path) }
				for _, e := range elsewhere(cfg, imported) {
					out.Elsewhere = append(out.Elsewhere, e.Text())
				}
				return printStatus(s, &st, &out)
			})
		},
	}
}

func printStatus(s *shell, st *api.Status, out *wire.Status) error {
	if s.json {
		return s.printJSON(out)
	}
	return s.table(func(w io.Writer) {
		row := func(name, format string, args ...any) {
			fmt.Fprintf(w, "%s\t%s\n", name, termtext.Line(fmt.Sprintf(format, args...)))
		}
		row("store", "%s", out.Store)
		if out.Namespace != "" {
			row("namespace", "%s", out.Namespace)
		}
		archived := ""
		if out.Archived > 0 {
			archived = fmt.Sprintf(" (%d archived)", out.Archived)
		}
		if out.Shared != nil {
			sharedRows(row, out.Shared)
		}
		row("memories", "%d%s, %d forgotten", out.Memories, archived, out.Forgotten)
		row("active day", "%d", out.ActiveDay)
		if out.Project != "" {
			row("project", "%s", app.ProjectTitle(out.Project))
		}
		if out.Unassigned > 0 {
			row("unassigned", "%d: nobody could tell their project; hippo list --project unassigned shows them, hippo project move ID --to current files one here", out.Unassigned)
		}
		row("ranker", "%s", out.Ranker)
		for _, m := range out.Models {
			row("model", "%s", m.Text())
		}
		row("version", "%s", out.Version)
		if x := out.Excluded; x != nil {
			row("excluded", "%s", excludedText(x.Capture, x.Injection))
		}
		for _, n := range out.Notices {
			row("settings", "%s", n)
		}
		captureRows(w, out)
		for i := range out.Sync {
			row("sync", "%s", syncText(&out.Sync[i]))
		}
		lackRows(row, st, out)
	})
}

// lackRows prints what is not in the store, does not work or is wrong.
func lackRows(row func(name, format string, args ...any), st *api.Status, out *wire.Status) {
	for _, e := range out.Elsewhere {
		row("to import", "%s", e)
	}
	for _, d := range out.Degraded {
		row("degraded", "%s", d)
	}
	if st.Store == nil {
		return
	}
	for _, p := range st.Store.Problems {
		row("problem", "%v", p)
	}
}

// sharedRows prints the state of the file of another program.
func sharedRows(row func(name, format string, args ...any), s *wire.Shared) {
	row("file of", "%s: %s", s.Program, strings.Join(s.Shape, ", "))
	row("it has", "%s", s.Text())
	if s.Backup != "" {
		row("as it was", "%s", s.Backup)
	}
	for _, odd := range s.Odd {
		row("odd", "%s", odd)
	}
}

// build returns the version of the program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Time    string `json:"time,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
}

// version returns the build information in the binary.
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

func newVersionCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  maximumArguments(0),
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
