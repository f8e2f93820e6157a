package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newRecordCommand(s *shell) *cobra.Command {
	var given verb.Record
	c := &cobra.Command{
		Use:   "record CONTENT...",
		Short: "Record a memory; without CONTENT, read it from stdin",
		Example: `  hippo record "Retries need jitter" --situation "debugging outages"
  git log -1 --format=%B | hippo record --type commit --importance 0.3`,
		RunE: func(c *cobra.Command, args []string) error {
			m, err := given.Memory(today(s))
			if err != nil {
				return err
			}
			if m.Content, err = contentOf(c.Context(), s, args); err != nil {
				return err
			}
			m.Source.Kind = hippo.SourceUser
			cfg, err := s.config()
			if err != nil {
				return err
			}
			return inProjectOf(c.Context(), s, cfg, func(x *client.Client) error {
				old, err := resolveSuperseded(c.Context(), x, given.Supersedes)
				if err != nil {
					return err
				}
				r, err := recordGiven(c.Context(), s, allowingSecrets(x, given.AllowSecret), m, old)
				if err != nil {
					return err
				}
				for _, id := range old {
					s.warn("replaces %s", shortID(s, id))
				}
				printComparison(s, r)
				return printRecorded(s, r.Memory)
			})
		},
	}
	addArgs(c.Flags(), given.Args())
	return c
}

// recordGiven records a memory in the project that the command line names, if it names one.
func recordGiven(ctx context.Context, s *shell, x *client.Client, m *hippo.Memory, old []hippo.ID) (*api.Recorded, error) {
	r := api.Record{
		Content: m.Content, Situation: m.Situation, Tags: m.Tags, Type: m.Type, Importance: &m.Importance.Base, Pinned: m.Pinned,
		EventTime: m.EventTime, ValidFrom: m.ValidFrom, ValidUntil: m.ValidUntil, Source: m.Source, Supersedes: old, Compare: true,
	}
	if how, name := givenProject(s); how != memory.NamesNothing {
		full, err := x.NameProject(ctx, name)
		if err != nil {
			return nil, err
		}
		r.Project = &full
	}
	return x.Record(ctx, r)
}

// addAllowSecret adds the flag --allow-secret.
func addAllowSecret(f *pflag.FlagSet, to *bool) {
	f.BoolVar(to, "allow-secret", false, "store the text even if it looks like a key, a token or a password")
	also(f, "allow-secret", "allow-secrets")
}

// allowingSecrets returns the client that stores secrets if the flag is given.
func allowingSecrets(x *client.Client, allowed bool) *client.Client {
	if allowed {
		return x.AllowSecrets()
	}
	return x
}

func printRecorded(s *shell, m *hippo.Memory) error {
	s.count = 1
	if s.json || s.lines {
		return printMemories(s, []*hippo.Memory{m})
	}
	_, err := fmt.Fprintf(s.out, "Recorded memory %s\n", shortID(s, m.ID))
	return err
}

// contentOf returns the words of arguments as one text, or without any, or with "-", what stdin has
// if a person is not typing there.
func contentOf(ctx context.Context, s *shell, args []string) (string, error) {
	if len(args) > 0 {
		return readText(ctx, s, strings.Join(args, " "))
	}
	missing := usagef("the content is missing: give it as words, or through a pipe")
	if s.isTerminal(s.in) {
		return "", missing
	}
	text, err := readText(ctx, s, "-")
	if err == nil && text == "" {
		err = missing
	}
	return text, err
}

// readText returns an argument, or the text on stdin if it is "-". A blocked read cannot be
// cancelled: when ctx ends, its goroutine is abandoned.
func readText(ctx context.Context, s *shell, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	var b []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		b, err = io.ReadAll(io.LimitReader(s.in, hippo.MaxContent+1))
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-done:
		return strings.TrimRight(string(b), "\r\n"), err
	}
}
