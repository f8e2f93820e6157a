package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// addReason adds the flag that says why something is changed.
func addReason(s *shell, v *pflag.FlagSet) {
	v.StringVar(&s.reason, "reason", "", "why, for hippo log")
}

func newLogCommand(s *shell) *cobra.Command {
	asked := verb.Page{Usual: listed}
	c := &cobra.Command{
		Use:   "log [ID]",
		Short: "List the operations that changed memories, newest first",
		Long: `List the operations that changed memories, newest first, one per line: the ID for hippo undo, the time, the kind, the author, the
memory and its change or the number of memories, and the reason. With an ID, list those of one memory, each with the number of the version
before it, for hippo diff. Recording a memory is not an operation, unless it supersedes others.`,
		Example: `  hippo log
  hippo log 1f3a9c20
  hippo undo 7be01d42`,
		Args: maximumArguments(1),
		RunE: func(c *cobra.Command, refs []string) error {
			count, err := asked.Count()
			if err != nil {
				return err
			}
			return s.with(c.Context(), ofProject(c.Context(), s, func(m *client.Client) error {
				var id hippo.ID
				if len(refs) > 0 {
					ids, err := resolve(c.Context(), m, refs, api.PreferNone)
					if err != nil {
						return err
					}
					id = ids[0]
				}
				page, err := m.Operations(c.Context(), api.Operations{Memory: id, Offset: asked.Offset, Count: count})
				if err != nil {
					return err
				}
				return printOperations(c.Context(), s, m, page, id, asked.Offset)
			}))
		},
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

// printOperations prints a page of operations, of one memory or, if id is zero, of all.
func printOperations(ctx context.Context, s *shell, m *client.Client, page *api.OperationPage, id hippo.ID, offset int) error {
	s.count = len(page.Operations)
	if s.json || s.lines {
		out := make([]wire.Operation, len(page.Operations))
		for i := range page.Operations {
			o := &page.Operations[i]
			out[i] = wire.OperationOf(&o.Operation, o.Memories)
		}
		return s.printJSON(out)
	}
	if len(page.Operations) == 0 {
		fmt.Fprintln(s.out, "Nothing here. What changes a memory is listed, and kept for hippo diff and hippo undo.")
		return nil
	}
	what, err := changesOf(ctx, m, page.Operations)
	if err != nil {
		return err
	}
	err = s.table(func(w io.Writer) {
		for i := range page.Operations {
			o := &page.Operations[i]
			version := ""
			if !id.IsZero() {
				version = "version " + strconv.Itoa(offset+i+1) + "\t"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\t%s\n", o.ID.Short(), clock(o.At), field(string(o.Verb)), field(who(&o.By)), version, field(what[i]), field(why(&o.Operation)))
		}
	})
	if page.More {
		fmt.Fprintf(s.errw, "more with --offset %d\n", offset+len(page.Operations))
	}
	return err
}

// who names a caller.
func who(by *hippo.Source) string {
	text := cmp.Or(by.Author, string(by.Kind), "-")
	if by.Client != "" {
		text += " (" + by.Client + ")"
	}
	return text
}

// why is the reason of an operation, or what it undoes.
func why(o *hippo.Operation) string {
	if !o.Undoes.IsZero() {
		return strings.TrimSpace("undoes " + o.Undoes.Short() + " " + o.Reason)
	}
	return o.Reason
}

func newDiffCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID [VERSION [VERSION]]",
		Short: "Show the changes of a memory",
		Long: `Show the changes of a memory: by its last operation, since a version, or between two versions. VERSION is a number of
hippo log ID, where 0 is the current version and 1 the one before the last operation, or the ID of an operation, for the version before it. --json prints both
versions and the names of the fields that differ.`,
		Args: cobra.MatchAll(requireArgument("an id"), maximumArguments(3)),
		RunE: func(c *cobra.Command, args []string) error {
			return s.with(c.Context(), func(m *client.Client) error {
				ids, err := resolve(c.Context(), m, args[:1], api.PreferNone)
				if err != nil {
					return err
				}
				from, to, err := versionsToCompare(c.Context(), m, ids[0], args[1:])
				if err != nil {
					return err
				}
				return printVersions(s, from, to)
			})
		},
	}
}

// versionsToCompare returns the two versions of a memory that references name; nil for what it was
// before it was recorded.
func versionsToCompare(ctx context.Context, m *client.Client, id hippo.ID, refs []string) (from, to *hippo.Memory, err error) {
	now, err := memoriesOf(ctx, m, id)
	if err != nil {
		return nil, nil, err
	}
	vs, err := m.Versions(ctx, api.Versions{Memory: id})
	if err != nil {
		return nil, nil, err
	}
	if len(vs) == 0 {
		return nil, nil, fmt.Errorf("%w: %s was not changed, or its former versions are not kept", hippo.ErrNotFound, id.Short())
	}
	refs = append(refs, []string{"1", "0"}[len(refs):]...)
	found := make([]*hippo.Memory, len(refs))
	for i, ref := range refs {
		n, err := versionNumber(vs, ref)
		switch {
		case err != nil:
			return nil, nil, err
		case n == 0:
			found[i] = now[0]
		default:
			found[i] = wire.FormerOf(vs[:n], now[0])
		}
	}
	return found[0], found[1], nil
}

// shortestID is the least length of the ID of an operation; what is shorter is a number.
const shortestID = 4

// versionNumber returns the number of a version by its reference.
func versionNumber(vs []hippo.Version, ref string) (int, error) {
	if len(ref) < shortestID {
		n, err := strconv.Atoi(ref)
		if err != nil || n < 0 || n > len(vs) {
			return 0, hippo.Fieldf("version", "must be a number from 0 to %d, see hippo log, got %q", len(vs), ref)
		}
		return n, nil
	}
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "") }
	for i := range vs {
		if id := plain(vs[i].Operation.ID.String()); strings.HasSuffix(id, plain(ref)) || strings.HasPrefix(id, plain(ref)) {
			return i + 1, nil
		}
	}
	return 0, hippo.Fieldf("version", "must be the number of a version or the id of an operation of hippo log, got %.60q", ref)
}

// difference is how two versions of a memory differ, as JSON.
type difference struct {
	Changed []string     `json:"changed"`
	Before  wire.Insight `json:"before"`
	After   wire.Insight `json:"after"`
}

// printVersions prints the fields that differ by name, and the content by lines.
func printVersions(s *shell, from, to *hippo.Memory) error {
	changed := wire.ChangedBetween(from, to, zone())
	var names []string
	for i := range changed {
		names = append(names, changed[i].Name)
	}
	a, b := textOf(from), textOf(to)
	if a != b {
		names = append(names, "content")
	}
	if s.json {
		return printDifference(s, names, from, to)
	}
	if len(names) == 0 {
		fmt.Fprintln(s.out, "No difference, but for the time of the change.")
	}
	for i := range changed {
		c := &changed[i]
		fmt.Fprintf(s.out, "%s: %s -> %s\n", c.Label(), field(cmp.Or(c.Before, "-")), field(cmp.Or(c.After, "-")))
	}
	if a != b {
		for line := range strings.Lines(string(diff.Diff("before", []byte(a), "after", []byte(b)))) {
			fmt.Fprintln(s.out, termtext.Line(strings.TrimSuffix(line, "\n")))
		}
	}
	return nil
}

func printDifference(s *shell, names []string, from, to *hippo.Memory) (err error) {
	d := difference{Changed: append([]string{}, names...)}
	for _, side := range []struct {
		m  *hippo.Memory
		to *wire.Insight
	}{{from, &d.Before}, {to, &d.After}} {
		if side.m == nil {
			continue
		}
		raw, err := wire.Stored(side.m, s.now())
		if err != nil {
			return err
		}
		*side.to = raw
	}
	return s.printJSON(d)
}

func textOf(m *hippo.Memory) string {
	if m == nil {
		return ""
	}
	return strings.TrimSuffix(m.Content, "\n") + "\n"
}
