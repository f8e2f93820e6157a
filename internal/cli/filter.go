package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
)

// filterFlags are the flags of the commands that find insights.
type filterFlags struct {
	fields       hippo.Filter // as far as they need not be parsed
	situation    []string
	when         string
	since, until string
	event        struct{ after, before string }
	minTrust     string
	at           momentFlags
	all          bool
}

// add adds the flags to a command.
func (f *filterFlags) add(c *cobra.Command) {
	v := c.Flags()
	v.StringArrayVar(&f.situation, "situation", nil, "only memories for this situation; may be repeated (any)")
	addCommaList(v, &f.fields.Tags, "tag", "only memories with this tag, in any case; may be repeated, or several with commas (all)")
	addCommaList(v, &f.fields.Types, "type", "only memories of this type, in any case; may be repeated, or several with commas (any)")
	v.StringVar(&f.fields.Author, "author", "", "only what this author said")
	v.StringVar(&f.fields.Session, "session", "", "only what this session holds")
	v.BoolVar(&f.fields.Pinned, "pinned", false, "only pinned memories")
	v.BoolVar(&f.fields.Archived, "archived", false, "include archived memories")
	v.StringVar(&f.when, "when", "", "of this time: 'last week', 'since 1 March', 2026-01-01..2026-02-01, 3d")
	v.StringVar(&f.since, "since", "", "recorded at or after this time: yesterday, 2026-03-01, 3d")
	v.StringVar(&f.until, "until", "", "recorded before this time")
	v.StringVar(&f.event.after, "event-after", "", "happened at or after this time, or else was recorded then")
	v.StringVar(&f.event.before, "event-before", "", "happened before this time")
	v.StringVar(&f.minTrust, "min-trust", "", "only memories of this trust or more: none, low, normal or high")
	f.at.add(c)
	v.BoolVar(&f.all, "all", false, "of all projects; without it, of the current one and of none; --project NAME keeps to one, --project none to none")
}

// momentFlags are the flags for the moment as of which something is read.
type momentFlags struct{ asOf, knownAt string }

// add adds the flags to a command.
func (f *momentFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.asOf, "as-of", "", "only what held at this time")
	c.Flags().StringVar(&f.knownAt, "known-at", "", "what was known at this time, as far back as the history goes")
}

// set sets the moment that the flags say.
func (f *momentFlags) set(s *shell, to *hippo.Moment) error {
	return cmp.Or(setTime(s, &to.ValidAt, "as-of", f.asOf), setTime(s, &to.KnownAt, "known-at", f.knownAt))
}

// filter returns what the flags keep, without projects.
func (f *filterFlags) filter(s *shell) (hippo.Filter, error) {
	out := f.fields
	err := cmp.Or(
		setTime(s, &out.CreatedAfter, "since", f.since), setTime(s, &out.CreatedBefore, "until", f.until),
		setTime(s, &out.EventAfter, "event-after", f.event.after), setTime(s, &out.EventBefore, "event-before", f.event.before), f.at.set(s, &out.Moment),
	)
	if err == nil && f.minTrust != "" {
		out.MinTrust, err = hippo.ParseTrust("min-trust", f.minTrust)
	}
	return out, err
}

// given returns a list of texts; nil for one of a blank text: a flag that is set to nothing is not set.
func given(list []string) []string {
	if len(list) == 1 && strings.TrimSpace(list[0]) == "" {
		return nil
	}
	return list
}

// addPage adds the flags of commands that show one page.
func addPage(v *pflag.FlagSet, offset, count *int, most int) {
	v.IntVar(offset, "offset", 0, "skip this many")
	v.IntVarP(count, "count", "n", most, "show this many; --limit is the same")
}

// validCount rejects what is no number of things on a page: 0 means the default to the engine.
func validCount(n int) error {
	if n < 1 || n > hippo.MaxCount {
		return hippo.Fieldf("count", "must be between 1 and %d, got %d", hippo.MaxCount, n)
	}
	return nil
}
