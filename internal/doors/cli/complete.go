package cli

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/agents"
	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/importer"
)

// candidates returns the values that a shell offers, each perhaps with a tab and what it is. Without
// a store there are none.
type candidates func(ctx context.Context, s *shell) []string

// argumentCandidates are those of arguments, by their name in the usage of a command.
func argumentCandidates() map[string]candidates {
	return map[string]candidates{
		"ID": idCandidates(false), "FROM": idCandidates(false), "MODEL": modelCandidates, "[MODEL]": modelCandidates,
		"[CLIENT...]": names(setup.Clients(), func(c setup.Client) string { return c.Name }),
		"EVENT":       fixed(agents.HookEvents()...),
	}
}

// flagCandidates are those of flags.
func flagCandidates() map[string]candidates {
	return map[string]candidates{
		"supersedes": idCandidates(false),
		"tag":        valueCandidates(func(m *hippo.Memory) []string { return m.Tags }),
		"type":       valueCandidates(func(m *hippo.Memory) []string { return []string{m.Type} }),
		"situation":  valueCandidates(func(m *hippo.Memory) []string { return m.Situation }),
		"author":     valueCandidates(func(m *hippo.Memory) []string { return []string{m.Source.Author} }),
		"session":    valueCandidates(func(m *hippo.Memory) []string { return []string{m.Source.Session} }),
		"project":    projectCandidates,
		"model":      modelCandidates,
		"ranker":     names(hippo.Rankers(), func(r hippo.Ranker) string { return string(r) }),
		"mode":       names(hippo.Modes(), func(m hippo.Mode) string { return string(m) }),
		"surprise":   fixed("nearest", "claude-hippo", "off"),
		"log":        fixed("debug", "info", "warn", "error"),
		"reinforce":  fixed(string(api.VoteUp), string(api.VoteDown), string(api.VoteNone)),
		"as":         fixed(importer.TextKinds()...),
		"scope":      fixed(string(setup.User), string(setup.Project), string(setup.Local)),
		"client": func(context.Context, *shell) []string {
			list := append(agents.HookClients(), agents.TranscriptClients()...)
			slices.Sort(list)
			return slices.Compact(list)
		},
	}
}

func fixed(values ...string) candidates {
	return func(context.Context, *shell) []string { return values }
}

// names returns the names of a list of values as candidates.
func names[T any](list []T, name func(T) string) candidates {
	values := make([]string, len(list))
	for i, x := range list {
		values[i] = name(x)
	}
	return fixed(values...)
}

// completes reports whether a shell asks what could follow. Only then are the candidates worth what they cost at
// start, a quarter of it.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addCompletions makes the shell complete the arguments and flags of a command, and of those below it.
func addCompletions(s *shell, c *cobra.Command) {
	_, arguments, _ := strings.Cut(c.Use, " ")
	for name, list := range argumentCandidates() {
		if !slices.Contains(strings.Fields(strings.ReplaceAll(arguments, "ID...", "ID")), name) {
			continue
		}
		if c.Name() == "restore" {
			list = idCandidates(true)
		}
		c.ValidArgsFunction = completing(s, list)
	}
	for flag, list := range flagCandidates() {
		if c.Flag(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, completing(s, list)) // it is there, and registered once
		}
	}
	for _, sub := range c.Commands() {
		addCompletions(s, sub)
	}
}

// completing offers the candidates that begin with what is typed.
func completing(s *shell, list candidates) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, x := range list(c.Context(), s) {
			if strings.HasPrefix(x, typed) {
				out = append(out, x)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// maxCompleted is the number of the newest memories whose IDs, tags and so on are offered.
const maxCompleted = 1000

// stored calls fn with the store, if it exists. It loads no model.
func stored(ctx context.Context, s *shell, fn func(*client.Client) error) {
	cfg, err := s.config()
	if err != nil || exists(cfg.Store) != nil {
		return
	}
	cfg.Model = config.Model{Name: config.NoModel}
	_ = s.on(ctx, cfg, nil, fn) // a shell that completes shows no errors
}

// newest returns the newest memories of all projects, or the newest forgotten ones.
func newest(ctx context.Context, m *client.Client, forgotten bool) ([]*hippo.Memory, error) {
	l, err := m.List(ctx, api.List{Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}, Forgotten: forgotten, Count: maxCompleted})
	if err != nil {
		return nil, err
	}
	return l.Memories, nil
}

// idCandidates are short IDs with the beginning of the text, of memories that are forgotten or not.
func idCandidates(forgotten bool) candidates {
	const length = 50
	return func(ctx context.Context, s *shell) (out []string) {
		stored(ctx, s, func(m *client.Client) error {
			ms, err := newest(ctx, m, forgotten)
			ids := m.ShortIDs(hippo.IDsOf(ms...)...)
			for _, x := range ms {
				out = append(out, ids.Of(x.ID)+"\t"+preview(x.Content, length))
			}
			return err
		})
		return out
	}
}

// valueCandidates are the values that a field of the memories has.
func valueCandidates(field func(*hippo.Memory) []string) candidates {
	return func(ctx context.Context, s *shell) []string {
		seen := make(map[string]bool)
		stored(ctx, s, func(m *client.Client) error {
			ms, err := newest(ctx, m, false)
			for _, x := range ms {
				for _, value := range field(x) {
					seen[preview(value, previewLength)] = true
				}
			}
			return err
		})
		delete(seen, "")
		return slices.Sorted(maps.Keys(seen))
	}
}

func projectCandidates(ctx context.Context, s *shell) []string {
	out := []string{memory.NoProject + "\tmemories without a project"}
	stored(ctx, s, func(m *client.Client) error {
		list, err := m.Projects(ctx)
		for _, p := range list {
			if p.Name != "" {
				out = append(out, p.Name)
			}
		}
		return err
	})
	return out
}

func modelCandidates(context.Context, *shell) []string {
	out := []string{config.NoModel + "\tlexical search only", config.Static + "\tonly the instant model"}
	list, _ := app.KnownModels(config.Model{Name: config.NoModel}, os.Getenv) // a shell that completes shows no errors
	for _, m := range list {
		out = append(out, m.ID+"\t"+m.State)
	}
	return out
}
