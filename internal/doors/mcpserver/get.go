package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

type getInput struct {
	verb.Get
	verb.Tokens
}

// Args implements [verb.Object].
func (in *getInput) Args() []verb.Arg {
	return append(in.Get.Args(), in.Arg())
}

// got is the structured content of memories that were read.
type got struct {
	Memories []*wire.Whole `json:"memories"`
	// NotShown counts those that did not fit max_tokens.
	NotShown int `json:"not_shown,omitempty"`
	// Degraded says what the history lacks of what was known at a time.
	Degraded []string `json:"degraded,omitempty"`
}

func (in *getInput) call(ctx context.Context, s *session) (reply, error) {
	limit, err := in.Limit(s.json)
	if err != nil {
		return reply{}, err
	}
	q, err := in.Request(ctx, s.Memories, s.now())
	if err != nil {
		return reply{}, err
	}
	ids, at := q.IDs, q.At
	found, err := query.GetAt(ctx, s.Memories, q)
	if err != nil {
		return reply{}, err
	}
	ms := found.Memories
	if at.KnownAt.IsZero() && !in.NoTouch { // to look at what was known is no use of what is known
		if err := memory.Opened(ctx, s.Memories, s.conversation.found(ids)); err != nil {
			return reply{}, err
		}
	}
	rs, err := knowledge.ListRelations(ctx, s.Memories, api.Relations{IDs: ids, At: at})
	if err != nil {
		return reply{}, err
	}
	st, err := memory.Status(ctx, s.Memories)
	if err != nil {
		return reply{}, err
	}
	w := whole{files: s.files(at), links: s.links(ctx, ms, at), memories: ms, excerpt: found.Excerpt, relations: rs, day: st.Day, now: s.now(), importance: s.Importance, title: memory.ProjectTitles(s.Memories)}
	missing := ""
	if len(found.Degraded) > 0 {
		missing = "\ndegraded: " + note(strings.Join(found.Degraded, "; "))
		limit -= max(tokencount.Of(missing), tokencount.Of(jsonOf(got{Degraded: found.Degraded})))
	}
	if s.json {
		data, err := w.data(limit)
		if err != nil {
			return reply{}, err
		}
		data.Degraded = found.Degraded
		return reply{data: data, meta: wire.Meta{IDs: ids}, count: len(ms)}, nil
	}
	if err := w.readOthers(ctx, s); err != nil {
		return reply{}, err
	}
	return reply{text: w.text(limit) + missing, meta: wire.Meta{IDs: ids}, count: len(ms)}, nil
}

// links returns what memories speak of in the source trees of their projects, as it is now: nothing of the past. An index that
// does not answer is no reason to show nothing.
func (s *session) links(ctx context.Context, ms []*hippo.Memory, at hippo.Moment) map[hippo.ID][]api.CodeLink {
	if s.server.Code == nil || !s.server.Code.Indexed() || at != (hippo.Moment{}) {
		return nil
	}
	l, err := s.server.Code.Library()
	var out map[hippo.ID][]api.CodeLink
	if err == nil {
		out, err = l.Links(ctx, &s.scope, ms)
	}
	if err != nil {
		s.server.Log.Debug("code that memories speak of", "error", err)
	}
	return out
}

// files returns the check of the files that memories name, as they are now: nothing of the past.
func (s *session) files(at hippo.Moment) *cited.Check {
	if at != (hippo.Moment{}) {
		return nil
	}
	return cited.NewCheck(s.trees)
}

// readOthers reads the memories at the other ends of the relations, and finds the short IDs.
func (w *whole) readOthers(ctx context.Context, s *session) error {
	ids := hippo.IDsOf(w.memories...)
	var others []hippo.ID
	for _, r := range w.relations {
		others = append(others, r.From, r.To)
	}
	w.ids = memory.ShortIDs(s.Memories, append(ids, others...))
	if len(others) == 0 {
		return nil
	}
	w.others = make(map[hippo.ID]*hippo.Memory)
	for len(others) > 0 { // each ID once, at most as many a call as are allowed
		n := min(len(others), hippo.MaxIDs)
		ms, err := memory.Get(ctx, s.Memories, others[:n])
		if err != nil {
			return err
		}
		for _, m := range ms {
			w.others[m.ID] = m
		}
		others = others[n:]
	}
	return nil
}

const (
	// smallestShare is how many tokens a memory gets at least, as long as there are any.
	smallestShare = 100
	// frameTokens is what a result has besides the memories: the braces of JSON, or the line
	// about those that are not shown.
	frameTokens = 50
)

// share is how many of the tokens that are left the next of n memories may take: as many as each
// of the others, but at least enough to be of use.
func (b budget) share(n int) budget { return max(b/budget(n), min(b, smallestShare)) }

// text returns the memories for a model, within a limit of tokens. Those that do not fit are named
// at the end.
func (w *whole) text(limit int) string {
	left := budget(limit)
	if len(w.memories) > 1 {
		left -= frameTokens
	}
	var parts []string
	var missing []*hippo.Memory
	for i, m := range w.memories {
		text, ok := w.one(m, left.share(len(w.memories)-i))
		if !ok || !left.take(text+"\n") {
			missing = append(missing, m)
			continue
		}
		parts = append(parts, text)
	}
	if len(missing) > 0 {
		parts = append(parts, w.notShown(missing))
	}
	return strings.Join(parts, "\n")
}

// notShown names the memories that did not fit.
func (w *whole) notShown(ms []*hippo.Memory) string {
	const named = 3
	var b strings.Builder
	b.WriteString("not shown (max_tokens):")
	for _, m := range ms[:min(named, len(ms))] {
		b.WriteString(" " + w.ids.Of(m.ID))
	}
	if n := len(ms) - named; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	return b.String()
}

// one returns a memory within its share of the tokens, its content shortened if it has to be; ok
// is false if not even its beginning fits.
func (w *whole) one(m *hippo.Memory, share budget) (text string, ok bool) {
	text = share.shortened(len(m.Content), func(n int) string { return w.show(m, n+1) + "\n" })
	return strings.TrimSuffix(text, "\n"), share.take(text)
}

// data returns the memories as JSON within a limit of tokens.
func (w *whole) data(limit int) (*got, error) {
	out := &got{Memories: []*wire.Whole{}}
	left := budget(limit - frameTokens)
	for i, m := range w.memories {
		var one *wire.Whole
		var err error
		share := left.share(len(w.memories) - i)
		text := share.shortened(len(m.Content), func(n int) string {
			if one, err = wire.WholeOf(m, w.excerpt(m.ID), n+1, w.of(m), w.now); err == nil && len(w.links[m.ID]) > 0 {
				one.Code = wire.CodeLinksOf(w.links[m.ID])
			}
			return jsonOf(one) + ","
		})
		switch {
		case err != nil:
			return nil, err
		case share.take(text) && left.take(text):
			out.Memories = append(out.Memories, one)
		case len(w.memories) == 1:
			return nil, tooFewTokens(text)
		default:
			out.NotShown++
		}
	}
	return out, nil
}
