package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// modifyFlags are the flags of modify as given.
type modifyFlags struct {
	content, kind, vote string
	situation, tags     []string
	supersedes          []string
	importance          float64
	pin                 bool
}

func (s *shell) modifyCommand() *cobra.Command {
	var f modifyFlags
	c := &cobra.Command{
		Use:   "modify ID",
		Short: "Change an insight; what is not given stays",
		Args:  one("an id"),
		RunE: s.onIDs(func(c *cobra.Command, e *engine.Engine, ids []hippo.ID) error {
			change := f.modification(c)
			if len(f.supersedes) > 0 {
				old, err := resolveSuperseded(c.Context(), e, f.supersedes)
				if err != nil {
					return err
				}
				change.Supersedes = &old
			}
			m, err := e.Modify(c.Context(), ids[0], change)
			if err != nil {
				return err
			}
			return s.modified(m)
		}),
	}
	v := c.Flags()
	v.StringVar(&f.content, "content", "", "the new text")
	v.StringArrayVar(&f.situation, "situation", nil, "replaces all situations; may be repeated")
	v.StringArrayVar(&f.tags, "tag", nil, "replaces all tags; may be repeated")
	v.StringVar(&f.kind, "type", "", "the new type")
	v.Float64Var(&f.importance, "importance", 0, "0 to 1")
	v.BoolVar(&f.pin, "pin", false, "pin, or unpin with --pin=false")
	v.StringVar(&f.vote, "reinforce", "", "upvote, downvote or none; by default, new text is an upvote")
	v.StringArrayVar(&f.supersedes, "supersedes", nil, "an insight (ID) that this one replaces; may be repeated")
	return c
}

// modification holds the flags that were given.
func (f *modifyFlags) modification(c *cobra.Command) engine.Modification {
	m := engine.Modification{Vote: engine.Vote(f.vote)}
	m.Content = given(c, "content", &f.content)
	m.Situation = given(c, "situation", &f.situation)
	m.Tags = given(c, "tag", &f.tags)
	m.Type = given(c, "type", &f.kind)
	m.Importance = given(c, "importance", &f.importance)
	m.Pinned = given(c, "pin", &f.pin)
	return m
}

// given returns v if the flag was set.
func given[T any](c *cobra.Command, flag string, v *T) *T {
	if c.Flags().Changed(flag) {
		return v
	}
	return nil
}

func (s *shell) modified(m *hippo.Memory) error {
	if s.json || s.lines {
		return s.printMemories([]*hippo.Memory{m})
	}
	_, err := fmt.Fprintf(s.out, "Modified insight: %s (importance %.2f)\n", m.ID, m.Importance.Value)
	return err
}
