package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/verb"
)

// modifyFlags are the flags of modify as given.
type modifyFlags struct {
	content, kind, vote string
	situation, tags     []string
	supersedes, clear   []string
	importance          float64
	from, until         string
	pin, allowSecret    bool
}

func newModifyCommand(s *shell) *cobra.Command {
	var f modifyFlags
	c := &cobra.Command{
		Use:   "modify ID",
		Short: "Change a memory; fields that are not given keep their values",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("unexpected argument %.60q: the new text goes behind --content", args[1])
			}
			return requireArgument("an id")(c, args)
		},
		RunE: onIDs(s.inProject, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			change, err := f.change(s, c)
			if err != nil {
				return err
			}
			if p := c.Flag("project"); p.Changed {
				change.Project = new(p.Value.String())
			}
			if len(f.supersedes) > 0 {
				old, err := resolveSuperseded(c.Context(), m, f.supersedes)
				if err != nil {
					return err
				}
				change.Supersedes = &old
			}
			x, err := allowingSecrets(m, f.allowSecret).Modify(c.Context(), api.Modify{ID: ids[0], Change: change})
			if err != nil {
				return err
			}
			return printModified(s, x)
		}),
	}
	v := c.Flags()
	v.StringVar(&f.content, "content", "", "the new text")
	v.StringArrayVar(&f.situation, "situation", nil, "replaces all situations; may be repeated")
	addCommaList(v, &f.tags, "tag", "replaces all tags; may be repeated, or several with commas")
	v.StringVar(&f.kind, "type", "", "the new type")
	addCommaList(v, &f.clear, "clear", "empty these fields: situation, tags, type, valid_from, valid_until")
	v.Float64Var(&f.importance, "importance", 0, "0 to 1")
	v.BoolVar(&f.pin, "pinned", false, "pin the memory, or unpin it with --pinned=false")
	v.StringVar(&f.from, "valid-from", "", "the fact holds from this time on; none: from ever")
	v.StringVar(&f.until, "valid-until", "", "the fact no longer holds at this time, such as now; none: without end")
	v.StringVar(&f.vote, "reinforce", "", "upvote, downvote or none; by default, new text is an upvote")
	v.StringArrayVar(&f.supersedes, "supersedes", nil, "a memory (ID) that this one replaces; may be repeated")
	addAllowSecret(v, &f.allowSecret)
	addReason(s, v)
	return c
}

// change is that of the flags that were given.
func (f *modifyFlags) change(s *shell, c *cobra.Command) (api.Change, error) {
	from, errFrom := bound(s, c, "valid-from", f.from)
	until, errUntil := bound(s, c, "valid-until", f.until)
	if err := cmp.Or(errFrom, errUntil, f.blank(c)); err != nil {
		return api.Change{}, err
	}
	out := api.Change{Vote: api.Vote(f.vote)}
	given(c, "content", &out.Content, f.content)
	given(c, "situation", &out.Situation, f.situation)
	given(c, "tag", &out.Tags, f.tags)
	given(c, "type", &out.Type, f.kind)
	given(c, "importance", &out.Importance, f.importance)
	given(c, "pinned", &out.Pinned, f.pin)
	given(c, "valid-from", &out.ValidFrom, from)
	given(c, "valid-until", &out.ValidUntil, until)
	return out, out.Clear(f.clear)
}

// given sets a field to the value of a flag, if that is given.
func given[T any](c *cobra.Command, flag string, field **T, value T) {
	if c.Flags().Changed(flag) {
		*field = &value
	}
}

// blank refuses a field that is given a blank value, which empties nothing.
func (f *modifyFlags) blank(c *cobra.Command) error {
	for _, x := range []struct {
		flag, field string
		values      []string
	}{{"situation", "situation", f.situation}, {"tag", "tags", f.tags}, {"type", "type", []string{f.kind}}} {
		if c.Flags().Changed(x.flag) && strings.TrimSpace(strings.Join(x.values, "")) == "" {
			return hippo.Fieldf(x.flag, "must not be blank; --clear %s empties it", x.field)
		}
	}
	return nil
}

// bound reads the flag of a bound of the validity; the zero time is no bound.
func bound(s *shell, c *cobra.Command, flag, text string) (t time.Time, err error) {
	switch {
	case text == verb.NoBound || !c.Flags().Changed(flag):
		return t, nil
	case strings.TrimSpace(text) == "":
		return t, hippo.Fieldf(flag, "must be a time, or %s for no bound, got %q", verb.NoBound, text)
	default:
		return t, setTime(s, &t, flag, text)
	}
}

func printModified(s *shell, m *hippo.Memory) error {
	s.count = 1
	if s.json || s.lines {
		return printMemories(s, []*hippo.Memory{m})
	}
	_, err := fmt.Fprintf(s.out, "Modified memory %s (importance %.2f)\n", shortID(s, m.ID), m.Importance.Value)
	return err
}
