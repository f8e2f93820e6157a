package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
)

// modifyFlags are the flags of modify as given.
type modifyFlags struct {
	content, kind, vote string
	situation, tags     []string
	supersedes          []string
	importance          float64
	pin, allowSecret    bool
}

func newModifyCommand(s *shell) *cobra.Command {
	var f modifyFlags
	c := &cobra.Command{
		Use:   "modify ID",
		Short: "Change an insight; what is not given stays",
		Args:  oneArgument("an id"),
		RunE: s.onIDs(func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			changes := f.changes(c)
			if len(f.supersedes) > 0 {
				old, err := resolveSuperseded(c.Context(), m, f.supersedes)
				if err != nil {
					return err
				}
				changes = append(changes, client.SetSupersedes(old...))
			}
			x, err := allowingSecrets(m, f.allowSecret).Modify(c.Context(), ids[0], changes...)
			if err != nil {
				return err
			}
			return printModified(s, x)
		}),
	}
	v := c.Flags()
	v.StringVar(&f.content, "content", "", "the new text")
	v.StringArrayVar(&f.situation, "situation", nil, "replaces all situations; may be repeated")
	v.StringArrayVar(&f.tags, "tag", nil, "replaces all tags; may be repeated")
	v.StringVar(&f.kind, "type", "", "the new type")
	v.Float64Var(&f.importance, "importance", 0, "0 to 1")
	v.BoolVar(&f.pin, "pinned", false, "pin, or unpin with --pinned=false")
	v.StringVar(&f.vote, "reinforce", "", "upvote, downvote or none; by default, new text is an upvote")
	v.StringArrayVar(&f.supersedes, "supersedes", nil, "an insight (ID) that this one replaces; may be repeated")
	addAllowSecret(v, &f.allowSecret)
	addReason(s, v)
	return c
}

// changes are those of the flags that were given.
func (f *modifyFlags) changes(c *cobra.Command) []client.Change {
	var list []client.Change
	for _, x := range []struct {
		flag   string
		change client.Change
	}{
		{"content", client.SetContent(f.content)},
		{"situation", client.SetSituation(f.situation...)},
		{"tag", client.SetTags(f.tags...)},
		{"type", client.SetType(f.kind)},
		{"importance", client.SetImportance(f.importance)},
		{"pinned", client.SetPinned(f.pin)},
		{"reinforce", client.SetVote(f.vote)},
	} {
		if c.Flags().Changed(x.flag) {
			list = append(list, x.change)
		}
	}
	return list
}

func printModified(s *shell, m *hippo.Memory) error {
	s.count = 1
	if s.json || s.lines {
		return printMemories(s, []*hippo.Memory{m})
	}
	_, err := fmt.Fprintf(s.out, "Modified insight %s (importance %.2f)\n", shortID(s, m.ID), m.Importance.Value)
	return err
}
