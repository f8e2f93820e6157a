package restapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// TestBadInput: every request that is wrong names the field, and changes nothing. What is wrong at every door alike is in
// internal/doors/cli/testdata/doors.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.record(`{"content":"kept"}`).UUID
	const post, get = http.MethodPost, http.MethodGet
	for _, c := range []struct{ method, path, body, field string }{
		// Bodies of another shape.
		{post, "/memories", ` `, "body"},
		{post, "/memories", `{`, "body"},
		{post, "/memories", `{"content":"a"} {}`, "body"},
		{post, "/memories", `[]`, "body"},
		{post, "/memories", `null`, "body"},
		{post, "/memories", `"text"`, "body"},
		{post, "/memories", "{\"content\":\"\xff\"}", "body"},
		{post, "/memories", `{"content":"\ud800"}`, "body"},
		{post, "/memories", `{"content":"a","content":"b"}`, "content"},
		{post, "/memories", `{"content":"a","metadata":{"x":1,"x":2}}`, "x"},
		// Fields.
		{post, "/memories", `{}`, "content"},
		{post, "/memories", `{"content":"\u0000"}`, "content"},
		{post, "/memories", `{"content":"a","importance":1e999}`, "importance"},
		{post, "/memories", `{"content":"a","source":"user"}`, "source"},
		{post, "/memories", `{"content":"a","source":{"kind":"robot"}}`, "source.kind"},
		{post, "/memories", `{"content":"a","source":{"authors":"x"}}`, "source.authors"},
		{post, "/memories", `{"content":"a","supersedes":["zz"]}`, "supersedes"},
		{post, "/memories", `{"content":"a","project":"*"}`, "project"},
		{post, "/memories", `{"content":"a","` + strings.Repeat("k", 1000) + `":1}`, strings.Repeat("k", 60)},
		{post, "/memories?x=1", `{"content":"a"}`, "x"},
		{http.MethodPatch, "/memories/" + id, `{"content":null,"tags":[],"type":""}`, "changes"},
		{http.MethodPatch, "/memories/" + id, `{"clear":["content"]}`, "clear"},
		{http.MethodPatch, "/memories/" + id, `{"clear":["tags"],"tags":["a"]}`, "clear"},
		// Pages and filters.
		{post, "/search", `{"relevance_range":{"min":2,"max":1}}`, "relevance_range"},
		{post, "/search", `{"relevance_range":{"min":0.5},"min_relevance":0.1}`, "min_relevance"},
		{post, "/search", `{"situation_filter":[" ","a"]}`, "situation_filter[0]"},
		{get, "/memories?limit=1&limit=2", "", "limit"},
		{get, "/memories?limti=1", "", "limti"},
		{get, "/memories?pinned=yes", "", "pinned"},
		{get, "/memories?pinned=1", "", "pinned"},
		{get, "/memories?when=%ff", "", "when"},
		{get, "/memories?when=%zz", "", "query"},
		{get, "/memories?a;b", "", "query"},
		{get, "/memories?min_trust=some", "", "min_trust"},
		{get, "/status?verbose=true", "", "verbose"},
		// IDs.
		{get, "/memories/zz", "", "id"},
		{get, "/memories/1", "", "id"},
		{get, "/memories/..%2f..%2fetc%2fpasswd", "", "id"},
		{get, "/memories/%00", "", "id"},
		{get, "/memories/%ff%fe", "", "id"},
		{get, "/memories/" + strings.Repeat("f", 5000), "", "id"},
		{post, "/forget", `{}`, "uuids"},
		{post, "/forget", `{"uuids":"` + id + `"}`, "uuids"},
		{post, "/forget", `{"uuids":["` + strings.Repeat(id+`","`, 1000) + `"]}`, "uuids"},
		{post, "/purge", `{"uuids":["",""]}`, "uuids"},
		{post, "/reinforce", `{}`, "upvotes"},
		{post, "/reinforce", `{"upvotes":["` + id + `"],"downvotes":["` + id + `"]}`, "downvotes"},
		{post, "/reinforce", `{"upvotes":["` + id + `"],"undo":["` + id + `"]}`, "undo"},
		{post, "/reinforce", `{"upvotes":["` + id + `"],"query":"` + strings.Repeat("q", hippo.MaxQuery+1) + `"}`, "query"},
		{http.MethodPatch, "/memories/" + id, `{"reinforce":"upvote","query":"` + strings.Repeat("q", hippo.MaxQuery+1) + `"}`, "query"},
		{post, "/relations", `{"relations":[]}`, "relations"},
		{post, "/relations/end", `{"from":"` + id + `","to":"` + id + `","kind":"x"}`, "to"},
		{post, "/relations/end", `{"from":"` + id + `","to":"` + id + `"}`, "kind"},
		{post, "/relations", `{"relations":{}}`, "relations"},
		{post, "/relations", `{"relations":[{"from":"` + id + `","to":"` + id + `"}]}`, "relations[0].kind"},
		{post, "/context", `{"max_tokens":0}`, "max_tokens"},
		{post, "/context", `{"max_tokens":1000000}`, "max_tokens"},
		{post, "/context", `{"project":"*"}`, "project"},
	} {
		t.Run(fmt.Sprintf("%s_%.30s_%.40s", c.method, c.path, c.body), func(t *testing.T) {
			r := s.do(c.method, c.path, c.body)
			r.t = t
			r.failed(http.StatusBadRequest, "invalid", c.field)
		})
	}
	if d := cmp.Diff([]string{"kept"}, s.do(get, "/memories", "").contents()); d != "" {
		t.Error(d)
	}
}

// TestOtherErrors: paths, methods, types and sizes that are not served, IDs that nobody has, and secrets.
func TestOtherErrors(t *testing.T) {
	t.Parallel()
	s := start(t)
	unknown := "01948f00-0000-7000-8000-000000000000"
	s.do(http.MethodGet, "/nothing", "").failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodGet, "/memories/", "").failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodGet, "/memories/"+unknown+"/history/x", "").failed(http.StatusNotFound, "not_found", "")
	r := s.do(http.MethodPut, "/memories/"+unknown, `{}`)
	if r.failed(http.StatusMethodNotAllowed, "unsupported", ""); r.header.Get("Allow") != "GET, PATCH, HEAD" {
		t.Errorf("allowed is %q", r.header.Get("Allow"))
	}
	s.do(http.MethodDelete, "/memories", "").failed(http.StatusMethodNotAllowed, "unsupported", "")
	s.do(http.MethodPost, "/memories", `{"content":"a"}`, "Content-Type", "text/plain").failed(http.StatusUnsupportedMediaType, "invalid", "Content-Type")
	s.do(http.MethodPost, "/memories", `{"content":"a"}`, "Content-Type", "application/json; charset=latin1").failed(http.StatusUnsupportedMediaType, "invalid", "Content-Type")
	s.do(http.MethodPost, "/memories", `{"content":"a"}`, "Content-Type", "application/json; charset=utf-8").want(http.StatusCreated)
	s.do(http.MethodPost, "/search", "").failed(http.StatusUnsupportedMediaType, "invalid", "Content-Type")
	s.do(http.MethodPost, "/memories", `{"content":"`+strings.Repeat("x", 4<<20)+`"}`).failed(http.StatusRequestEntityTooLarge, "invalid", "body")
	s.do(http.MethodPost, "/memories", `{"content":"`+strings.Repeat("x", hippo.MaxContent+1)+`"}`).failed(http.StatusBadRequest, "invalid", "content")
	s.do(http.MethodPost, "/memories", `{"content":"`+strings.Repeat(`\u0078`, hippo.MaxContent)+`"}`).want(http.StatusCreated)

	s.do(http.MethodGet, "/memories/"+unknown, "").failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodGet, "/memories/abcdef12", "").failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodPatch, "/memories/"+unknown, `{"content":"a"}`).failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodPost, "/forget", `{"uuids":["`+unknown+`"]}`).failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodPost, "/memories", `{"content":"a","supersedes":["`+unknown+`"]}`).failed(http.StatusNotFound, "not_found", "")

	key := "gh" + "p_x7Kq9Zr2Lm4Wn8Vb3Tc6Yd1Pf5Sg0Hj2Qa9B"
	p := s.do(http.MethodPost, "/memories", `{"content":"the key is `+key+`"}`).failed(http.StatusUnprocessableEntity, "secret", "content")
	if strings.Contains(p.Detail, key) {
		t.Errorf("the error has the secret: %s", p.Detail)
	}
	s.do(http.MethodPost, "/memories", `{"content":"the key is `+key+`","allow_secret":true}`).want(http.StatusCreated)
}

// faulty is a back end whose writes fail.
type faulty struct {
	driver.Backend
	err error
}

func (f *faulty) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if f.err != nil {
		return f.err
	}
	return f.Backend.Write(ctx, d, fn)
}

// TestFaults: a machine that fails is a clear error, which names no path to those who may not see it.
func TestFaults(t *testing.T) {
	t.Parallel()
	const path = "/home/owner/memory.db"
	reader := asScope(hippo.Scope{Rights: hippo.RightRead | hippo.RightWrite})
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{hippo.ErrFull, http.StatusInsufficientStorage, "full"},
		{hippo.ErrReadOnly, http.StatusServiceUnavailable, "read_only"},
		{hippo.ErrCorrupt, http.StatusInternalServerError, "corrupt"},
		{hippo.ErrUnavailable, http.StatusServiceUnavailable, "unavailable"},
		{errors.New("surprise"), http.StatusInternalServerError, "internal"},
	} {
		backend := &faulty{Backend: memstore.New(nil)}
		s := startWith(t, options{backend: backend})
		s.record(`{"content":"safe"}`)
		backend.err = fmt.Errorf("write %s: %w", path, c.err)
		for _, header := range [][]string{nil, reader} {
			p := s.do(http.MethodPost, "/memories", `{"content":"the private text"}`, header...).failed(c.status, c.code, "")
			if strings.Contains(p.Detail, path) != (header == nil && c.code != "internal") {
				t.Errorf("%s: %s", c.code, p.Detail)
			}
		}
		if got := s.do(http.MethodPost, "/search", `{"query":"safe"}`, reader...); c.code != "unavailable" && c.code != "internal" && cmp.Diff([]string{"safe"}, got.contents()) != "" {
			t.Errorf("%s: a search fails: %s", c.code, got.body)
		}
		if log := s.log.String(); strings.Contains(log, "private") || strings.Contains(log, "goroutine") || !strings.Contains(log, "request failed") {
			t.Errorf("the log is %s", log)
		}
		backend.err = nil
		s.record(`{"content":"it goes on"}`)
	}
}

// TestLog_hasNoContent: no text of a request or a memory is logged.
func TestLog_hasNoContent(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"hush hush","tags":["hush"]}`)
	s.do(http.MethodPost, "/search", `{"query":"hush"}`).want(http.StatusOK)
	s.do(http.MethodPost, "/search", `{"hush":"hush"}`).want(http.StatusBadRequest)
	s.do(http.MethodPost, "/search", `{"query":"hush`).want(http.StatusBadRequest)
	s.do(http.MethodGet, "/memories?tags=hush", "").want(http.StatusOK)
	s.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"hush"}`).want(http.StatusOK)
	if log := s.log.String(); strings.Contains(log, "hush") || !strings.Contains(log, "verb=search") {
		t.Errorf("the log is %s", log)
	}
}

// TestGone: a client that goes away in the middle of its body stores nothing, and the server goes on.
func TestGone(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := httptest.NewRequest(http.MethodPost, "/api/v1/memories", &gone{strings.NewReader(`{"content":"half`)})
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	(&response{t: t, status: w.Code, body: w.Body.Bytes()}).failed(http.StatusBadRequest, "invalid", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w = httptest.NewRecorder()
	s.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/memories", nil))
	if w.Code != http.StatusServiceUnavailable && w.Code != http.StatusOK {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if got := s.do(http.MethodGet, "/memories", "").contents(); got != nil {
		t.Errorf("got %q", got)
	}
}

// gone is the body of a client that goes away.
type gone struct{ *strings.Reader }

func (g *gone) Read(b []byte) (int, error) {
	n, err := g.Reader.Read(b)
	if err != nil {
		err = errors.New("connection reset by peer")
	}
	return n, err
}

// Of a query that is longer than one may be the beginning counts, and the answer notes it.
func TestSearch_LongQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"retries without jitter took the gateway down"}`)
	var got struct{ Degraded []string }
	r := s.do(http.MethodPost, "/search", `{"query":"gateway jitter `+strings.Repeat("outage ", hippo.MaxQuery)+`"}`).want(http.StatusOK)
	if r.into(&got); len(got.Degraded) != 1 || !strings.HasPrefix(got.Degraded[0], "only the first 81") || cmp.Diff([]string{m.Content}, r.contents()) != "" {
		t.Errorf("got %q, %q", r.contents(), got.Degraded)
	}
}
