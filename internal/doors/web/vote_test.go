package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

// votesOf returns the votes on a memory, with what is known of their questions.
func (s *site) votesOf(id hippo.ID) (out []string) {
	s.t.Helper()
	if err := s.engine.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range s.get(id).Feedback {
		text := string(f.Kind)
		if f.Question != nil {
			text += " on a question"
		}
		out = append(out, text)
	}
	return out
}

// TestVote_OnSearch: a vote on a hit, and one on the page of a memory that a search led to, is stored with the question;
// one on a page that was reached otherwise is not. The undo removes each.
func TestVote_OnSearch(t *testing.T) {
	t.Parallel()
	const search = "/?q=gateway+timeout"
	for name, x := range map[string]struct {
		open        func(b *browser) *shown
		label, want string
	}{
		"up, on a hit":   {func(b *browser) *shown { return b.open(search) }, "Vote up", "up on a question"},
		"down, on a hit": {func(b *browser) *shown { return b.open(search) }, "Vote down", "down on a question"},
		"up, on the memory of a hit": {func(b *browser) *shown {
			return b.open(linkOf(b.open(search), "the gateway timeout"))
		}, "Vote up", "up on a question"},
		"on a memory of a list": {func(b *browser) *shown {
			return b.open(linkOf(b.open("/ui/browse"), "the gateway timeout"))
		}, "Vote up", "up"},
		"on a hit of a filter": {func(b *browser) *shown { return b.open("/?type=fact") }, "Vote down", "down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			m := s.record(hippo.Memory{Content: "the gateway timeout is 30 s", Type: "fact", Importance: hippo.Importance{Base: .5}})
			b := s.owner()
			start := x.open(b)
			checkStructure(t, start)
			s.now = s.now.Add(time.Minute)
			p := b.submit(start, x.label)
			p.want(http.StatusOK, "Voted", "Undo")
			if tied := strings.Contains(textOf(p.root), "for searches like this one"); tied != strings.Contains(x.want, "question") {
				t.Errorf("it says that the vote is about a search: %t", tied)
			}
			if p.path != start.path {
				t.Errorf("from %s the vote leads to %s", start.path, p.path)
			}
			if got := s.votesOf(m.ID); len(got) != 1 || got[0] != x.want {
				t.Fatalf("votes %q, want %q", got, x.want)
			}
			b.submit(p, "Undo").want(http.StatusOK, "Undone.")
			if got := s.votesOf(m.ID); len(got) != 0 {
				t.Errorf("after the undo there is %q", got)
			}
		})
	}
}

// linkOf returns where the link leads whose text contains some text.
func linkOf(p *shown, text string) string {
	p.t.Helper()
	for _, a := range p.all("a") {
		if strings.Contains(textOf(a), text) {
			return attribute(a, "href")
		}
	}
	p.t.Fatalf("%s has no link %q", p.path, text)
	return ""
}

// TestVote_Teaches: what was voted down as an answer to a search is not first there any more; a vote about another question
// leaves it there.
func TestVote_Teaches(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, text := range []string{"the gateway fails under load", "nobody knows why the gateway fails"} {
		s.record(hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}})
	}
	b := s.owner()
	const search = "/?q=gateway+fails"
	first := func() string {
		t.Helper()
		return strings.Split(linkOf(b.open(search), "the gateway fails"), "?")[0]
	}
	before := first()
	b.submit(b.open(before+"?q=recipe+of+bread"), "Vote down").want(http.StatusOK, "Voted down")
	if after := first(); after != before {
		t.Errorf("a vote about another question puts %s before %s", after, before)
	}
	b.submit(b.open(search), "Vote down").want(http.StatusOK, "Voted down")
	if after := first(); after == before {
		t.Errorf("%s stays first after a vote against it", before)
	}
}

// TestVote_Bad: what is wrong with the question is said, and nothing is voted.
func TestVote_Bad(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "the gateway timeout is 30 s"})
	b := s.owner()
	path := "/ui/memory/" + m.ID.String()
	csrf := fieldsOf(b.open(path).form("Vote up")).Get("csrf")
	for query, want := range map[string]string{"\xff": "Query: must be valid UTF-8", strings.Repeat("x", hippo.MaxQuery+1): "Query: must be at most 8192 bytes"} {
		p := b.send(path+"/vote", url.Values{"csrf": {csrf}, "vote": {"up"}, "query": {query}, "back": {path}})
		if p.status == http.StatusSeeOther {
			p = b.open(p.header.Get("Location"))
		}
		if !strings.Contains(textOf(p.root), want) {
			t.Errorf("%.10q: %q is missing in %s", query, want, textOf(p.root))
		}
	}
	if got := s.votesOf(m.ID); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}
