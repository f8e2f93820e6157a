package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/engine/memory"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newGetCommand(s *shell) *cobra.Command {
	var asked verb.Get
	c := &cobra.Command{
		Use:   "get ID...",
		Short: "Show memories in full",
		Long: `Show memories in full. ID is the short ID that other commands show, or at least four digits of the beginning or end of a UUID, or
of the beginning of a content hash. With --json, one ID gives an object, several give a list. --query names the question that led to them:
opening a memory for a question counts as a weak vote for similar questions. Of a memory of more than 1,200 tokens only the sentences that
answer the question are shown, with … for gaps; --json prints the whole text.`,
		Args: requireArgument("an id"),
		RunE: s.onIDs(func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			moment, err := asked.At.Moment(today(s))
			if err != nil {
				return err
			}
			question, err := memory.Question(asked.Query)
			if err != nil {
				return err
			}
			got, err := readInsights(c.Context(), s, m, moment, question, ids)
			if err != nil {
				return err
			}
			ms := got.Memories
			s.count = len(ms)
			if s.json && len(ms) == 1 {
				one, err := wire.Stored(ms[0], s.now())
				return errors.Join(err, s.printJSON(one))
			}
			if s.json || s.lines {
				return printMemories(s, ms)
			}
			st, err := m.Status(c.Context())
			if err != nil {
				return err
			}
			links, files := codeLinks(c.Context(), s, ms, moment), filesOf(c.Context(), s, m, moment, ms)
			for i, x := range ms {
				if i > 0 {
					fmt.Fprintln(s.out)
				}
				if err := printWhole(s, shownOf(s, got, i), st.Day, links[x.ID], files); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

// memoriesOf returns memories by ID, in the order of the IDs.
func memoriesOf(ctx context.Context, m *client.Client, ids ...hippo.ID) ([]*hippo.Memory, error) {
	got, err := m.Get(ctx, api.Get{IDs: ids})
	if err != nil {
		return nil, err
	}
	return got.Memories, nil
}

// readInsights reads insights as of a moment, and warns of what the history lacks of them. A query counts as what they were opened for.
func readInsights(ctx context.Context, s *shell, m *client.Client, at hippo.Moment, query string, ids []hippo.ID) (*api.Got, error) {
	got, err := m.Get(ctx, api.Get{IDs: ids, At: at, Question: query})
	if err != nil {
		return nil, err
	}
	for _, d := range got.Degraded {
		s.warn("degraded: %s", d)
	}
	if query == "" {
		return got, nil
	}
	return got, m.Opened(ctx, api.Opened{Query: query, IDs: ids})
}

// shownOf returns an insight with what answers the question in the place of a long content, and says how the whole is to be had.
func shownOf(s *shell, got *api.Got, i int) *hippo.Memory {
	m := got.Memories[i]
	if i >= len(got.Excerpts) || got.Excerpts[i] == nil {
		return m
	}
	p := wire.PartOf(m.Content, got.Excerpts[i])
	if p.More == 0 {
		return m
	}
	s.warn("%s: %s more characters are shown without --query", shortID(s, m.ID), grouped(p.More))
	m = m.Clone()
	m.Content = p.Text
	return m
}

// codeLinks returns what memories speak of in the source trees of their projects, a line each. An index that does not answer is no reason
// to show nothing.
func codeLinks(ctx context.Context, s *shell, ms []*hippo.Memory, at hippo.Moment) map[hippo.ID][]string {
	if at != (hippo.Moment{}) || !app.CodeIndexed() {
		return nil
	}
	out := make(map[hippo.ID][]string)
	err := withCode(s, func(l code.Library) error {
		scope := hippo.LocalScope("")
		links, err := l.Links(ctx, &scope, ms)
		for id, list := range links {
			for i := range list {
				out[id] = append(out[id], wire.CodeLinkText(&list[i], zone()))
			}
		}
		return err
	})
	if err != nil {
		s.warn("code that the memories speak of: %v", err)
	}
	return out
}

// printWhole prints a memory with all its fields as text.
func printWhole(s *shell, m *hippo.Memory, day hippo.Day, links []string, files missingFiles) error {
	fmt.Fprintf(s.out, "%s\n%s\n\n", bold(s, shortID(s, m.ID)), block(s, m.Content, ""))
	uses := 0
	for _, a := range m.Accesses {
		uses += a.Count
	}
	importance := importanceOf(m, day)
	if m.Pinned {
		importance += "; pinned"
	}
	superseded := ""
	if !m.SupersededBy.IsZero() {
		superseded = shortID(s, m.SupersededBy)
	}
	note := ""
	state := wire.StateNote(m, s.now(), shortIDs(s, hippo.IDsOf(m)...))
	if flags := wire.Flags(m); flags != nil {
		note = wire.InstructionsNote + " (" + strings.Join(flags, ", ") + ")"
	}
	rows := [][2]string{
		{"note", note},
		{"state", state},
		{"situation", strings.Join(m.Situation, "; ")},
		{"tags", strings.Join(m.Tags, ", ")},
		{"type", m.Type},
		{"importance", importance},
		{"used", plural(uses, "time") + " on " + plural(len(m.Accesses), "active day")},
		{"project", m.Project},
		{"source", origin(m.Source)},
		{"created", moment(m.CreatedAt)},
		{"updated", moment(m.UpdatedAt)},
		{"happened", moment(m.EventTime)},
		{"valid from", moment(m.ValidFrom)},
		{"valid until", moment(m.ValidUntil)},
		{"superseded by", superseded},
		{"forgotten", moment(m.ForgottenAt)},
		{"uuid", m.ID.String()},
		{"version", fmt.Sprint(m.Version)},
		{"surprise", m.Surprise.String()},
	}
	for _, l := range links {
		rows = append(rows, [2]string{"code", l})
	}
	rows = append(rows, [2]string{"files", files(m)})
	for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
		rows = append(rows, [2]string{preview(key, 30), preview(string(m.Metadata[key]), previewLength)})
	}
	return s.table(func(w io.Writer) {
		for _, r := range rows {
			if r[1] != "" {
				fmt.Fprintf(w, "%s\t%s\n", termtext.Line(r[0]), termtext.Line(r[1]))
			}
		}
	})
}

// plural returns a count with its noun.
func plural(n int, what string) string {
	return wire.Counted(n, what)
}

// importanceOf says what the importance of a memory is, and where votes or time changed it, from what.
func importanceOf(m *hippo.Memory, day hippo.Day) string {
	now, set, voted := fmt.Sprintf("%.2f", client.ImportanceOn(m, day)), fmt.Sprintf("%.2f", m.Importance.Base), fmt.Sprintf("%.2f", m.Importance.Value)
	if now == set && set == voted {
		return now
	}
	return fmt.Sprintf("%s; set to %s, %s after the votes of active day %d", now, set, voted, m.Importance.SetDay)
}

// memories counts memories in words.
func memories(n int) string { return plural(n, "memory") }

// moment formats a time; empty if it is unset.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return clock(t)
}

// origin formats the source of a memory on one line.
func origin(o hippo.Source) string {
	parts := []string{string(o.Kind)}
	for _, p := range [][2]string{{"by", o.Author}, {"with", o.Client}, {"in session", o.Session}, {"at", o.URI}} {
		if p[1] != "" {
			parts = append(parts, p[0], p[1])
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}
