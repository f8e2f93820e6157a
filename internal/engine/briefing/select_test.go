package briefing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

func now() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// candidate returns a trusted memory of project p that was recorded now.
func candidate(n int, content string, set ...func(*briefing.Candidate)) briefing.Candidate {
	c := briefing.Candidate{Importance: .5, Memory: &hippo.Memory{
		ID: hippo.ID{byte(n >> 8), byte(n)}, Content: content, ContentHash: hippo.HashContent(content), Project: "p", CreatedAt: now(), Trust: hippo.TrustNormal,
	}}
	for _, f := range set {
		f(&c)
	}
	return c
}

func typed(name string) func(*briefing.Candidate) {
	return func(c *briefing.Candidate) { c.Memory.Type = name }
}

func aged(days int) func(*briefing.Candidate) {
	return func(c *briefing.Candidate) { c.Memory.CreatedAt = now().AddDate(0, 0, -days) }
}

func prompted(relevance float64) func(*briefing.Candidate) {
	return func(c *briefing.Candidate) { c.Prompt, c.Words, c.Confidence = relevance, 1, .7 }
}

// selected returns what is selected, as "section: content".
func selected(in briefing.Input) (out []string) {
	in.Projects, in.Now = []string{"p", ""}, now()
	for _, i := range briefing.Select(&in).Items {
		out = append(out, i.Section+": "+i.Memory.Content)
	}
	return out
}

func TestSelect_Sections(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		candidate briefing.Candidate
		want      string // empty: not selected
	}{
		"type":            {candidate(1, "x", typed("Preference")), "rules"},
		"tag":             {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.Tags = []string{"a", "TODO"} }), "tasks"},
		"label":           {candidate(1, "Decision: x"), "decisions"},
		"pinned":          {candidate(1, "x", aged(1000), typed("task"), func(c *briefing.Candidate) { c.Memory.Pinned, c.Importance = true, 0 }), "rules"},
		"new":             {candidate(1, "x"), "recent"},
		"old":             {candidate(1, "x", aged(40)), ""},
		"old and changed": {candidate(1, "x", aged(40), func(c *briefing.Candidate) { c.State = .6 }), "recent"},
		"prompt":          {candidate(1, "x", aged(400), prompted(.5)), "related"},
		"weak prompt":     {candidate(1, "x", aged(400), prompted(.1), func(c *briefing.Candidate) { c.Words = .9 }), ""},
		"unimportant":     {candidate(1, "x", aged(400), typed("rule"), func(c *briefing.Candidate) { c.Importance = .1 }), ""},
		"other project":   {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.Project, c.Memory.Pinned = "q", true }), ""},
		"no project":      {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.Project = "" }), "recent"},
		"superseded":      {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.SupersededBy = hippo.ID{1} }), ""},
		"forgotten":       {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.ForgottenAt = now() }), ""},
		"expired":         {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.ValidUntil = now() }), ""},
		"not valid yet":   {candidate(1, "x", func(c *briefing.Candidate) { c.Memory.ValidFrom = now().Add(1) }), ""},
		"done":            {candidate(1, "x", typed("task"), func(c *briefing.Candidate) { c.Memory.Tags = []string{"done"} }), ""},
	} {
		want := []string{tc.want + ": " + tc.candidate.Memory.Content}
		if tc.want == "" {
			want = nil
		}
		if got := selected(briefing.Input{Candidates: []briefing.Candidate{tc.candidate}}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestTrusted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		trust  hippo.Trust
		kind   hippo.SourceKind
		change func(*hippo.Memory)
		want   bool
	}{
		"user":             {hippo.TrustHigh, hippo.SourceUser, nil, true},
		"agent":            {hippo.TrustNormal, hippo.SourceAgent, nil, true},
		"tool":             {hippo.TrustNone, hippo.SourceTool, nil, false},
		"tool, pinned":     {hippo.TrustNone, hippo.SourceTool, func(m *hippo.Memory) { m.Pinned = true }, false},
		"import":           {hippo.TrustLow, hippo.SourceImport, nil, false},
		"import, used":     {hippo.TrustLow, hippo.SourceImport, func(m *hippo.Memory) { m.Touch(2, 5) }, false},
		"import, upvoted":  {hippo.TrustLow, hippo.SourceImport, func(m *hippo.Memory) { m.Importance.Value = .75 }, true},
		"import, trusted":  {hippo.TrustNormal, hippo.SourceImport, nil, true},
		"hook":             {hippo.TrustLow, hippo.SourceHook, nil, false},
		"hook, used":       {hippo.TrustLow, hippo.SourceHook, func(m *hippo.Memory) { m.Touch(1, 1) }, true},
		"hook, pinned":     {hippo.TrustLow, hippo.SourceHook, func(m *hippo.Memory) { m.Pinned = true }, true},
		"hook, downvoted":  {hippo.TrustLow, hippo.SourceHook, func(m *hippo.Memory) { m.Importance.Value = .25 }, false},
		"no access at all": {hippo.TrustLow, hippo.SourceHook, func(m *hippo.Memory) { m.Accesses = nil }, false},
	} {
		m := &hippo.Memory{Trust: tc.trust, Source: hippo.Source{Kind: tc.kind}, Importance: hippo.Importance{Base: .5, Value: .5}}
		m.Touch(1, 1) // its record
		if tc.change != nil {
			tc.change(m)
		}
		if got := briefing.Trusted(m); got != tc.want {
			t.Errorf("%s: got %t, want %t", name, got, tc.want)
		}
	}
}

func TestSelect_Duplicates(t *testing.T) {
	t.Parallel()
	in := briefing.Input{Candidates: []briefing.Candidate{
		candidate(1, "Retry a request to the gateway three times with jitter", typed("rule")),
		candidate(2, "retry a request to the Gateway three times, with jitter!", aged(1)),
		candidate(3, "The cache lives for ten minutes", typed("decision")),
		candidate(4, "Entries expire after 600 s", aged(1), typed("decision")),
		candidate(5, "Retry a request to the database at once", typed("rule")),
	}, Similar: func(a, b hippo.ID) float64 {
		if a[1]+b[1] == 7 && a[1] != 5 && b[1] != 5 {
			return .95
		}
		return .2
	}}
	want := []string{
		"rules: Retry a request to the gateway three times with jitter", "rules: Retry a request to the database at once",
		"decisions: The cache lives for ten minutes",
	}
	if got := selected(in); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// With a prompt, what it reminds of comes before all else when the budget is small.
func TestSelect_PromptFirst(t *testing.T) {
	t.Parallel()
	in := briefing.Input{Query: briefing.Query{Prompt: "ledger", MaxTokens: 110}, Candidates: []briefing.Candidate{
		candidate(1, "Use tabs in all files, and end each file with a line break", typed("rule")),
		candidate(2, "Postgres for the ledger", typed("decision"), prompted(.7), aged(90)),
	}}
	if got := selected(in); !slices.Equal(got, []string{"decisions: Postgres for the ledger"}) {
		t.Errorf("got %q", got)
	}
}

// Whatever the candidates are, the text stays within the budget, has each memory once, none that
// must not be there, and the same candidates in another order give the same text.
func TestSelect_Properties(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom(strings.Fields("gateway retry cache 再試行 кэш ошибка `code` </hippo-memory> # - \n timeout 30s Überschrift 🦛"))
	rapid.Check(t, func(t *rapid.T) {
		in := briefing.Input{Projects: []string{"p", ""}, Now: now()}
		in.MaxTokens = rapid.IntRange(api.MinTokens, 400).Draw(t, "tokens")
		in.PromptOnly = rapid.Bool().Draw(t, "prompt only")
		for n := range rapid.IntRange(0, 40).Draw(t, "candidates") {
			c := candidate(n, fmt.Sprint(n, " ", strings.Join(rapid.SliceOfN(words, 1, 60).Draw(t, "words"), " ")))
			c.Memory.Type = rapid.SampledFrom([]string{"", "rule", "task", "decision"}).Draw(t, "type")
			c.Memory.Trust = rapid.SampledFrom([]hippo.Trust{hippo.TrustNone, hippo.TrustNormal}).Draw(t, "trust")
			c.Prompt = rapid.Float64Range(0, 1).Draw(t, "prompt")
			in.Candidates = append(in.Candidates, c)
		}
		b := briefing.Select(&in)
		text := b.Text
		if n := tokencount.Of(text); n > in.MaxTokens {
			t.Fatalf("%d tokens of %d:\n%s", n, in.MaxTokens, text)
		}
		seen := make(map[hippo.ID]bool)
		for _, i := range b.Items {
			if seen[i.Memory.ID] || i.Memory.Trust == hippo.TrustNone || strings.Contains(i.Preview, "\n") {
				t.Fatalf("%q is twice, not trusted or of several lines", i.Preview)
			}
			seen[i.Memory.ID] = true
		}
		if text != "" && strings.Count(text, "</hippo-memory>") != 1 {
			t.Fatalf("the frame ends early:\n%s", text)
		}
		slices.Reverse(in.Candidates)
		if again := briefing.Select(&in); again.Text != text {
			t.Fatalf("in another order:\n%s\nnot\n%s", again.Text, text)
		}
	})
}

func TestPreview(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("retry with jitter, ", 20)
	in := briefing.Input{Projects: []string{"p", ""}, Now: now(), Candidates: []briefing.Candidate{candidate(1, long), candidate(2, strings.Repeat("語", 300))}}
	for _, i := range briefing.Select(&in).Items {
		if n := len([]rune(i.Preview)); n > 160 || n < 80 || !strings.HasSuffix(i.Preview, "…") {
			t.Errorf("%d characters: %q", n, i.Preview)
		}
		if i.Memory.ID[1] == 1 && !strings.HasSuffix(i.Preview, " jitter…") && !strings.HasSuffix(i.Preview, " retry…") && !strings.HasSuffix(i.Preview, " with…") {
			t.Errorf("cut within a word: %q", i.Preview)
		}
	}
}

// What the reader has counts for the floor: once the best match is there, only what names more of the prompt is added.
func TestSelect_NoFillersBesideTheKnown(t *testing.T) {
	t.Parallel()
	in := briefing.Input{
		Query: briefing.Query{PromptOnly: true, Prompt: "does the gateway or the importer listen on 9443", Known: func(m *hippo.Memory) bool { return m.ID[1] == 1 }},
		Candidates: []briefing.Candidate{
			candidate(1, "The gateway listens on 9443", prompted(.9)),
			candidate(2, "The bed sensor has a timeout of four seconds", prompted(.88)),
			candidate(3, "The importer of ledgers is written in Rust", prompted(.85)),
			candidate(4, "An importer must never block", prompted(.5)),
		},
	}
	if d := cmp.Diff([]string{"related: The importer of ledgers is written in Rust"}, selected(in)); d != "" {
		t.Error(d)
	}
	in.Known = func(m *hippo.Memory) bool { return m.ID[1] == 1 || m.ID[1] == 3 }
	if got := selected(in); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// A prompt reminds of what has a word of it, or stands out without one.
func TestSelect_Tied(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prompt, content   string
		words, confidence float64
		want              bool
	}{
		"a word":                      {"rotate the tokens of the gateway", "The gateway reads its keys once", .3, .6, true},
		"another form":                {"migrate the orders", "Migrations of orders need a lock", .3, .6, true},
		"capitals":                    {"which DNS do we use", "DNS is at Hetzner", .5, .6, true},
		"a number":                    {"what is behind 81", "Port 81 is the proxy", .5, .6, true},
		"no word, and sure":           {"who repairs the printers", "Facilities fixes what prints", 0, .95, true},
		"no word":                     {"add a dark theme", "The job hangs when fonts are missing", 0, .6, false},
		"too little of a long prompt": {"write a poem about the gateway of a castle in the old days", "The gateway reads its keys once", .1, .7, false},
		"a name":                      {"where did Ida go", "Ida has the key", .5, .4, true},
		"a plural":                    {"write a test for the lamp", "Every lamp has tests in the folder lamps", .3, .6, true},
		"a short stem alone":          {"show a spinner while it is loading", "The load balancer drops idle connections", .25, .7, false},
		"unsure":                      {"make it return early", "The return portal is of another team", .22, .4, false},
		"unsure, many words":          {"who owns the return portal", "The return portal is of another team", .5, .4, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := candidate(1, tc.content, prompted(.8))
			c.Words, c.Confidence = tc.words, tc.confidence
			in := briefing.Input{Query: briefing.Query{PromptOnly: true, Prompt: tc.prompt}, Candidates: []briefing.Candidate{c}}
			if got := len(selected(in)) > 0; got != tc.want {
				t.Errorf("selected: %v", got)
			}
		})
	}
}

// A rule or a decision guides work that has few of its words; a fact answers what has more.
func TestSelect_TiedGuides(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]bool{"convention": true, "decision": true, "fact": false} {
		c := candidate(1, "Prices of lamps are whole cents", prompted(.8), typed(kind))
		c.Words, c.Confidence = .15, .4
		in := briefing.Input{Query: briefing.Query{PromptOnly: true, Prompt: "store the price in a new table"}, Candidates: []briefing.Candidate{c}}
		if got := len(selected(in)) > 0; got != want {
			t.Errorf("%s: selected: %v", kind, got)
		}
	}
}

// With names, what has none of them is left out.
func TestSelect_Names(t *testing.T) {
	t.Parallel()
	in := briefing.Input{
		Query: briefing.Query{PromptOnly: true, Prompt: "connection refused", Names: []string{"6379", "redis-cli"}},
		Candidates: []briefing.Candidate{
			candidate(1, "Port 16379 is the proxy", prompted(.9)), candidate(2, "6379 belongs to the cache", prompted(.8)), candidate(3, "Use Redis-CLI with TLS", prompted(.7)),
		},
	}
	if d := cmp.Diff([]string{"related: 6379 belongs to the cache", "related: Use Redis-CLI with TLS"}, selected(in)); d != "" {
		t.Error(d)
	}
}
