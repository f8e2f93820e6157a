package restapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func TestDocument_isValid(t *testing.T) {
	t.Parallel()
	s := start(t)
	if err := s.document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(s.document.Paths.Map()); n < 15 {
		t.Errorf("the document has %d paths", n)
	}
	for _, r := range s.routes {
		method, path, _ := strings.Cut(r.Pattern, " ")
		if item := s.document.Paths.Value(path); path != "" && (item == nil || item.GetOperation(method) == nil) {
			t.Errorf("%s is not in the document", r.Pattern)
		}
		if r.Rights == 0 {
			t.Errorf("%s is open to everyone", r.Pattern)
		}
	}
}

// TestVerbs: every verb works, and a memory has the same form everywhere.
func TestVerbs(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"the pump <needs> oil","situation":["maintenance"],"importance":0.8,"tags":["pump"],"type":"fact","pinned":true,
		"event_time":"2026-02-01","valid_until":"2027-01-01T00:00:00Z","source":{"kind":"user","author":"ana","seq":2},"metadata":{"n":{"deep":[1,null]}},"project":"plant"}`)
	if d := cmp.Diff(stored{
		UUID: m.UUID, Content: "the pump <needs> oil", Situation: []string{"maintenance"}, Tags: []string{"pump"}, Pinned: true, Project: "plant",
		Metadata: map[string]any{"n": map[string]any{"deep": []any{1., nil}}}, Source: struct{ Kind, Author string }{"user", "ana"},
	}, m); d != "" {
		t.Error(d)
	}
	other := s.record(`{"content":"the valve is red","situation":["maintenance"]}`)

	for _, id := range []string{m.UUID, m.UUID[len(m.UUID)-8:], m.UUID[:13]} {
		if id == m.UUID[:13] {
			continue // both begin with the same time
		}
		var got stored
		if r := s.do(http.MethodGet, "/memories/"+id, "").want(http.StatusOK).into(&got); r.header.Get("ETag") != `"v1"` || got.UUID != m.UUID {
			t.Errorf("%s: got %s, ETag %s", id, got.UUID, r.header.Get("ETag"))
		}
	}
	if got := s.do(http.MethodPost, "/memories/get", `{"uuids":["`+other.UUID+`","`+m.UUID+`"]}`).contents(); cmp.Diff([]string{other.Content, m.Content}, got) != "" {
		t.Errorf("get returned %q", got)
	}
	if got := s.do(http.MethodPost, "/search", `{"query":"pump oil","explain":true,"tags":["pump"],"as_of":"2026-03-01","limit":5}`).contents(); cmp.Diff([]string{m.Content}, got) != "" {
		t.Errorf("search returned %q", got)
	}
	if got := s.do(http.MethodGet, "/memories?limit=1&project=plant&project=&tags=pump", "").contents(); cmp.Diff([]string{m.Content}, got) != "" {
		t.Errorf("list returned %q", got)
	}
	var voted struct {
		Reinforced []struct{ Before, After float64 }
	}
	s.do(http.MethodPost, "/reinforce", `{"upvotes":["`+m.UUID+`"],"downvotes":["`+other.UUID+`"]}`).want(http.StatusOK).into(&voted)
	if x := voted.Reinforced; len(x) != 2 || x[0].After <= x[0].Before || x[1].After >= x[1].Before {
		t.Errorf("the votes are %+v", x)
	}
	var known struct{ Items []struct{ Text string } }
	s.do(http.MethodPost, "/context", `{"prompt":"pump oil","project":"plant","max_tokens":400}`).want(http.StatusOK).into(&known)
	if len(known.Items) == 0 || known.Items[0].Text != m.Content {
		t.Errorf("the context is %+v", known)
	}
	var listed struct{ Projects []string }
	s.do(http.MethodGet, "/projects", "").want(http.StatusOK).into(&listed)
	if cmp.Diff([]string{"", "plant"}, listed.Projects) != "" && cmp.Diff([]string{"plant"}, listed.Projects) != "" {
		t.Errorf("the projects are %q", listed.Projects)
	}
	var status struct {
		Memories       int
		Version, Store string
	}
	s.do(http.MethodGet, "/status", "").want(http.StatusOK).into(&status)
	if status.Memories != 2 || status.Version != "v1.2.3" || status.Store != "memory:" {
		t.Errorf("the status is %+v", status)
	}
}

// TestForget: forgetting is undone by restore, and purge is for good.
func TestForget(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"one"}`)
	body := `{"uuids":["` + m.UUID[24:] + `","` + m.UUID + `"]}`
	var out struct {
		Action string
		UUIDs  []string
	}
	for _, x := range []struct{ path, action string }{{"/forget", "forgotten"}, {"/restore", "restored"}, {"/purge", "purged"}} {
		s.do(http.MethodPost, x.path, body).want(http.StatusOK).into(&out)
		if out.Action != x.action || cmp.Diff([]string{m.UUID}, out.UUIDs) != "" {
			t.Errorf("got %+v", out)
		}
		if got, want := len(s.do(http.MethodGet, "/memories?forgotten=true", "").contents()), map[string]int{"/forget": 1}[x.path]; got != want {
			t.Errorf("after %s %d are forgotten, want %d", x.path, got, want)
		}
	}
	s.do(http.MethodGet, "/memories/"+m.UUID, "").failed(http.StatusNotFound, "not_found", "")
}

// TestHistory: the chain of what superseded what is the same for each of its memories, forgotten ones apart.
func TestHistory(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.record(`{"content":"30 s"}`)
	b := s.record(`{"content":"60 s","supersedes":["` + a.UUID + `"]}`)
	c := s.record(`{"content":"90 s","supersedes":["` + b.UUID + `"]}`)
	alone := s.record(`{"content":"alone"}`)
	for _, m := range []stored{a, b, c} {
		if d := cmp.Diff([]string{"30 s", "60 s", "90 s"}, s.do(http.MethodGet, "/memories/"+m.UUID+"/history", "").contents()); d != "" {
			t.Errorf("%s: %s", m.Content, d)
		}
	}
	if d := cmp.Diff([]string{"alone"}, s.do(http.MethodGet, "/memories/"+alone.UUID+"/history", "").contents()); d != "" {
		t.Error(d)
	}
}

// TestResolve: short forms mean live memories, unless others are preferred.
func TestResolve(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"one"}`)
	short := m.UUID[28:]
	var out struct {
		IDs []struct{ UUID, Short string }
	}
	s.do(http.MethodPost, "/memories/resolve", `{"uuids":["`+short+`","`+m.UUID+`"]}`).want(http.StatusOK).into(&out)
	if len(out.IDs) != 1 || out.IDs[0].UUID != m.UUID || out.IDs[0].Short != short {
		t.Errorf("got %+v", out)
	}
	// The live one and the forgotten one have the same beginning.
	s.importing(exportHeader+exportLine(1, "live")+exportLine(2, "forgotten"), "")
	s.do(http.MethodPost, "/forget", `{"uuids":["01948f00-0000-7000-8000-000000000002"]}`).want(http.StatusOK)
	for prefer, end := range map[string]string{"live": "1", "forgotten": "2"} {
		s.do(http.MethodPost, "/memories/resolve", `{"uuids":["01948f00"],"prefer":"`+prefer+`"}`).want(http.StatusOK).into(&out)
		if len(out.IDs) != 1 || !strings.HasSuffix(out.IDs[0].UUID, end) {
			t.Errorf("%s: got %+v", prefer, out)
		}
	}
	p := s.do(http.MethodPost, "/memories/resolve", `{"uuids":["01948f00"],"prefer":"any"}`).failed(http.StatusBadRequest, "invalid", "uuids")
	if !strings.Contains(p.Detail, "several") || !strings.Contains(p.Detail, "(forgotten)") {
		t.Errorf("got %s", p.Detail)
	}
	s.do(http.MethodPost, "/purge", `{"uuids":["01948f00"]}`).failed(http.StatusBadRequest, "invalid", "uuids")
	s.do(http.MethodPost, "/memories/resolve", `{"uuids":["01948f00-0000-7000-8000-000000000003"]}`).failed(http.StatusNotFound, "not_found", "")
}

// TestModify: what is not given stays, and a lost update is refused.
func TestModify(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"one","tags":["a"],"metadata":{"x":1,"y":2}}`)
	path := "/memories/" + m.UUID
	var got stored
	r := s.do(http.MethodPatch, path, `{"content":"two","clear":["tags","metadata.x"],"metadata":{"y":null,"z":3},"pinned":true}`, "If-Match", `"v1"`).want(http.StatusOK).into(&got)
	if got.Content != "two" || got.Tags != nil || !got.Pinned || cmp.Diff(map[string]any{"y": 2., "z": 3.}, got.Metadata) != "" || r.header.Get("ETag") != `"v2"` {
		t.Errorf("got %+v, ETag %s", got, r.header.Get("ETag"))
	}
	s.do(http.MethodPatch, path, `{"content":"three"}`, "If-Match", `"v1"`).failed(http.StatusPreconditionFailed, "conflict", "")
	for _, tag := range []string{"v1", `W/"v1"`, `"v1", "v2"`, `"v0"`, `"v+1"`, `"v99999999999999999999"`, `""`} {
		s.do(http.MethodPatch, path, `{"content":"three"}`, "If-Match", tag).failed(http.StatusBadRequest, "invalid", "If-Match")
	}
	s.do(http.MethodPatch, path, `{}`).failed(http.StatusBadRequest, "invalid", "changes")
	s.do(http.MethodPatch, path, `{}`, "If-Match", `"v2"`).failed(http.StatusBadRequest, "invalid", "changes")
	s.do(http.MethodGet, path, "").into(&got)
	if got.Content != "two" {
		t.Errorf("it is %q", got.Content)
	}
	s.do(http.MethodPatch, path, `{"content":"three"}`, "If-Match", "*").want(http.StatusOK)
	old := s.record(`{"content":"old"}`)
	s.do(http.MethodPatch, path, `{"supersedes":["`+old.UUID+`"]}`).want(http.StatusOK)
	s.do(http.MethodPatch, path, `{"supersedes":["`+old.UUID+`"]}`)
	s.do(http.MethodPost, "/memories", `{"content":"new","supersedes":["`+old.UUID+`"]}`).failed(http.StatusConflict, "conflict", "")
}

// TestModify_validity: a fact ends for a reason, and a bound is cleared.
func TestModify_validity(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := "/memories/" + s.record(`{"content":"the gateway listens on port 80","valid_from":"2026-01-01T00:00:00Z"}`).UUID
	for _, x := range []struct{ change, from, until string }{
		{`{"valid_until":"2030-01-01T00:00:00Z","reason":"the contract ends"}`, "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"},
		{`{"clear":["valid_from"],"valid_until":null}`, "", "2030-01-01T00:00:00Z"},
		{`{"valid_from":"2026-02-01T00:00:00Z","valid_until":"none"}`, "2026-02-01T00:00:00Z", ""},
	} {
		var got struct {
			From  string `json:"valid_from"`
			Until string `json:"valid_until"`
		}
		s.do(http.MethodPatch, path, x.change).want(http.StatusOK).into(&got)
		if got.From != x.from || got.Until != x.until {
			t.Errorf("after %s it holds from %q until %q", x.change, got.From, got.Until)
		}
	}
	all := s.engine.In(hippo.LocalScope(""))
	ops, err := memory.Operations(t.Context(), all, api.Operations{Count: 5})
	if n := len(ops.Operations); err != nil || n != 3 || ops.Operations[n-1].Reason != "the contract ends" || ops.Operations[n-1].By.Client != "rest" || ops.Operations[0].Reason != "" {
		t.Errorf("history: %+v, %v", ops, err)
	}
	for change, field := range map[string]string{
		`{"valid_until":"2026-02-01T00:00:00Z"}`: "valid_until", `{"valid_until":""}`: "changes", `{"valid_until":5}`: "valid_until",
		`{"valid_from":"never"}`: "valid_from", `{"pinned":true,"reason":5}`: "reason", `{"reason":"why"}`: "changes",
		`{"pinned":true,"reason":"` + strings.Repeat("x", 5000) + `"}`: "reason",
	} {
		s.do(http.MethodPatch, path, change).failed(http.StatusBadRequest, "invalid", field)
	}
}

// TestRecord_hints: duplicates and what a memory probably supersedes are named.
func TestRecord_hints(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"The timeout of the gateway is 30 s"}`)
	var out struct {
		DuplicateOf    []string                        `json:"duplicate_of"`
		LikelyReplaces []struct{ UUID, Reason string } `json:"likely_replaces"`
	}
	r := s.do(http.MethodPost, "/memories", `{"content":"The timeout of the gateway is 60 s"}`).want(http.StatusCreated).into(&out)
	if len(out.LikelyReplaces) != 1 || out.LikelyReplaces[0].UUID != m.UUID || !strings.HasPrefix(r.header.Get("Location"), "/api/v1/memories/") {
		t.Errorf("got %+v, Location %q", out, r.header.Get("Location"))
	}
	s.do(http.MethodGet, strings.TrimPrefix(r.header.Get("Location"), "/api/v1"), "").want(http.StatusOK)
	s.do(http.MethodPost, "/memories", `{"content":"The timeout of the gateway is 30 s"}`).want(http.StatusCreated).into(&out)
	if cmp.Diff([]string{m.UUID}, out.DuplicateOf) != "" {
		t.Errorf("got %+v", out)
	}
}

// TestRecord_isIdempotent: the same key records one memory, for the same caller in the same namespace.
func TestRecord_isIdempotent(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := []string{"Idempotency-Key", "4711"}
	m := s.record(`{"content":"one"}`, key...)
	var out struct{ Insight stored }
	s.do(http.MethodPost, "/memories", `{"content":"one"}`, key...).want(http.StatusOK).into(&out)
	if out.Insight.UUID != m.UUID {
		t.Errorf("got %s, want %s", out.Insight.UUID, m.UUID)
	}
	s.do(http.MethodPost, "/memories", `{"content":"another"}`, key...).failed(http.StatusUnprocessableEntity, "invalid", "Idempotency-Key")
	s.do(http.MethodPost, "/memories", `{"content":"one"}`, "Idempotency-Key", strings.Repeat("x", 256)).failed(http.StatusBadRequest, "invalid", "Idempotency-Key")
	tenant := asScope(hippo.Scope{Namespace: "tenant", Rights: hippo.AllRights})
	if theirs := s.record(`{"content":"another"}`, append(key, tenant...)...); theirs.UUID == m.UUID {
		t.Error("two namespaces share a key")
	}
	if got := s.do(http.MethodGet, "/memories", "").contents(); len(got) != 1 {
		t.Errorf("there are %q", got)
	}
	// A memory that was changed since is also the answer.
	s.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"changed"}`).want(http.StatusOK)
	s.do(http.MethodPost, "/memories", `{"content":"one"}`, key...).want(http.StatusOK).into(&out)
	if out.Insight.Content != "changed" {
		t.Errorf("got %+v", out.Insight)
	}
}

func TestRelations(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.record(`{"content":"the fix"}`), s.record(`{"content":"the fault"}`)
	var out struct {
		Relations []struct {
			From, To, Kind string
			Weight         float64
		}
	}
	s.do(http.MethodPost, "/relations", `{"relations":[{"from":"`+a.UUID[24:]+`","to":"`+b.UUID+`","kind":"explains","weight":0.5,"valid_from":"2026-01-01"}]}`).want(http.StatusOK)
	s.do(http.MethodGet, "/memories/"+b.UUID+"/relations", "").want(http.StatusOK).into(&out)
	if x := out.Relations; len(x) != 1 || x[0].From != a.UUID || x[0].To != b.UUID || x[0].Kind != "explains" {
		t.Errorf("got %+v", x)
	}
	query := "/relations?from=" + a.UUID + "&to=" + b.UUID + "&kind=explains"
	s.do(http.MethodDelete, query, "").want(http.StatusNoContent)
	s.do(http.MethodDelete, query, "").failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodDelete, "/relations?from="+a.UUID, "").failed(http.StatusBadRequest, "invalid", "to")
	s.do(http.MethodPost, "/relations", `{"relations":[{"from":"`+a.UUID+`","to":"`+b.UUID+`","kind":"x","weight":2}]}`).failed(http.StatusBadRequest, "invalid", "relations[0].weight")
	s.do(http.MethodPost, "/relations", `{"relations":[{"from":"`+a.UUID+`","to":"`+b.UUID+`","kind":"co_recalled"}]}`).failed(http.StatusBadRequest, "invalid", "kind")
}

// TestPages: pages of a search and a list have all memories once.
func TestPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []string{"a", "b", "c", "d", "e"} {
		s.record(`{"content":"pump ` + c + `"}`)
	}
	for name, page := range map[string]func(offset string) *response{
		"list": func(offset string) *response { return s.do(http.MethodGet, "/memories?limit=2&offset="+offset, "") },
		"search": func(offset string) *response {
			return s.do(http.MethodPost, "/search", `{"query":"pump","limit":2,"offset":`+offset+`}`)
		},
	} {
		seen := make(map[string]bool)
		var out struct {
			Next  int `json:"next_offset"`
			Total int `json:"total_count"`
		}
		for offset, n := "0", 0; n < 3; n++ {
			out.Next = 0
			r := page(offset)
			for _, c := range r.into(&out).contents() {
				seen[c] = true
			}
			offset = map[int]string{0: "", 2: "2", 4: "4"}[out.Next]
			if out.Total != 5 || (offset == "") != (n == 2) {
				t.Errorf("%s: page %d: %+v", name, n, out)
			}
		}
		if len(seen) != 5 {
			t.Errorf("%s: got %v", name, seen)
		}
	}
}
