package restapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// ndjson is the header of an import.
func ndjson() []string { return []string{"Content-Type", "application/x-ndjson"} }

// outcome is the answer to an import.
type outcome struct {
	Kind                                     string
	Added, Updated, Present, Kept, Relations int
	Forgotten, Purged                        int
	Rejected                                 []string
	DryRun                                   bool `json:"dry_run"`
}

// importing imports a text.
func (s *server) importing(text, query string) (out outcome) {
	s.t.Helper()
	s.do(http.MethodPost, "/import"+query, text, ndjson()...).want(http.StatusOK).into(&out)
	return out
}

// TestTransfer: an export imports back identically, with relations, and again adds nothing.
func TestTransfer(t *testing.T) {
	t.Parallel()
	from, to := start(t), start(t)
	a, b := from.record(`{"content":"a\nb","tags":["x"],"project":"p","pinned":true}`), from.record(`{"content":"c"}`)
	from.do(http.MethodPost, "/forget", `{"uuids":["`+b.UUID+`"]}`).want(http.StatusOK)
	from.do(http.MethodPost, "/relations", `{"relations":[{"from":"`+a.UUID+`","to":"`+b.UUID+`","kind":"x"}]}`).want(http.StatusOK)
	text := string(from.do(http.MethodGet, "/export", "").want(http.StatusOK).body)
	if n := strings.Count(text, "\n"); n != 3 {
		t.Fatalf("%d lines: %s", n, text)
	}
	if out := to.importing(text, "?dry_run=true"); out.Added != 2 || !out.DryRun || len(to.do(http.MethodGet, "/memories", "").contents()) != 0 {
		t.Errorf("the preview is %+v", out)
	}
	if out := to.importing(text, ""); out.Added != 2 || out.Relations != 1 || len(out.Rejected) != 0 || out.Kind != "hippo export" {
		t.Errorf("got %+v", out)
	}
	if got := string(to.do(http.MethodGet, "/export", "").body); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if out := to.importing(text, ""); out.Added != 0 || out.Present != 2 {
		t.Errorf("again: %+v", out)
	}
}

// TestImport_joins: an export that is imported again brings what is newer, and what was deleted here only if that is asked for.
func TestImport_joins(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := "01948f00-0000-7000-8000-000000000001"
	line := func(content, more string) string {
		return exportHeader + strings.Replace(exportLine(1, content), "}\n", more+"}\n", 1)
	}
	old, edited := line("old", ""), line("new", `,"updated_at":"2026-01-02T00:00:00Z","version":2`)
	s.importing(old, "")
	for _, c := range []struct {
		text, query string
		want        outcome
	}{
		{edited, "", outcome{Updated: 1}},
		{edited, "", outcome{Present: 1}},
		{old, "", outcome{Present: 1}},
	} {
		c.want.Kind, c.want.Rejected = "hippo export", []string{}
		if got := s.importing(c.text, c.query); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
	if got := s.do(http.MethodGet, "/memories", "").contents(); len(got) != 1 || got[0] != "new" {
		t.Errorf("got %q", got)
	}
	s.do(http.MethodPost, "/forget", `{"uuids":["`+id+`"]}`).want(http.StatusOK)
	if got := s.importing(edited, ""); got.Forgotten != 1 || got.Updated != 0 {
		t.Errorf("forgotten: got %+v", got)
	}
	if got := s.importing(edited, "?bring_back=true"); got.Updated != 1 {
		t.Errorf("brought back: got %+v", got)
	}
	s.do(http.MethodPost, "/purge", `{"uuids":["`+id+`"]}`).want(http.StatusOK)
	if got := s.importing(edited, ""); got.Purged != 1 || got.Added != 0 {
		t.Errorf("purged: got %+v", got)
	}
	if got := s.importing(edited, "?bring_back=true"); got.Added != 1 {
		t.Errorf("brought back: got %+v", got)
	}
}

const exportHeader = `{"hippo_export":1,"active_day_counter":1,"last_calendar_date_used":null}` + "\n"

// exportLine is a memory of an export.
func exportLine(i int, content string) string {
	return fmt.Sprintf(`{"uuid":"01948f00-0000-7000-8000-%012d","content":%q,"situation":[],"base_importance":0.5,"importance":0.5,"created_at":"2026-01-01T00:00:00Z","importance_modified_at":"2026-01-01T00:00:00Z","daily_access_counts":[[1,1]]}`+"\n", i, content)
}

// TestImport_rejects: entries that are wrong are named with their line, and the others are stored.
func TestImport_rejects(t *testing.T) {
	t.Parallel()
	s := start(t)
	out := s.importing(exportHeader+exportLine(1, "good")+"{broken\n"+exportLine(2, " ")+exportLine(3, "fine"), "")
	if out.Added != 2 || len(out.Rejected) != 2 || !strings.HasPrefix(out.Rejected[0], "line 3") || !strings.HasPrefix(out.Rejected[1], "line 4") {
		t.Errorf("got %+v", out)
	}
	for _, text := range []string{"", " ", "{}", "[]", "hello", exportLine(4, "no header"), "\xff\xfe", `{"id":"1","text":"turn","conversation":"c","session":"s","speaker":"x","time":"2026-01-01"}`} {
		r := s.do(http.MethodPost, "/import", text, ndjson()...)
		r.failed(http.StatusBadRequest, "invalid", "body")
	}
	s.do(http.MethodPost, "/import", `{"hippo_export":9}`, ndjson()...).failed(http.StatusUnprocessableEntity, "unsupported", "")
	s.do(http.MethodPost, "/import", exportHeader).failed(http.StatusUnsupportedMediaType, "invalid", "Content-Type")
	s.do(http.MethodPost, "/import?dry_run=maybe", exportHeader, ndjson()...).failed(http.StatusBadRequest, "invalid", "dry_run")
	s.do(http.MethodPost, "/import", exportHeader+strings.Repeat("x\n", 3000), ndjson()...).failed(http.StatusBadRequest, "invalid", "body")
}

// TestImport_resumes: an import that was cut off keeps what it acknowledged in batches, and the same again
// adds the rest.
func TestImport_resumes(t *testing.T) {
	t.Parallel()
	s := start(t)
	var text strings.Builder
	text.WriteString(exportHeader)
	const all = 1300
	for i := range all {
		text.WriteString(exportLine(i, fmt.Sprintf("memory %d", i)))
	}
	half := text.String()[:text.Len()*2/3]
	r := httptest.NewRequest(http.MethodPost, "/api/v1/import", io.MultiReader(strings.NewReader(half), &gone{strings.NewReader("")}))
	r.Header.Set("Content-Type", "application/x-ndjson")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	(&response{t: t, status: w.Code, body: w.Body.Bytes()}).failed(http.StatusBadRequest, "invalid", "")
	out := s.importing(text.String(), "")
	if out.Present == 0 || out.Added == 0 || out.Present+out.Added != all || len(out.Rejected) != 0 {
		t.Errorf("got %+v", out)
	}
}

// brokenWriter is the connection of a client that goes away.
type brokenWriter struct {
	http.ResponseWriter
	left int
}

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return w.ResponseWriter.Write(b)
}

// TestExport_ofAClientThatGoesAway: the response has no regular end.
func TestExport_ofAClientThatGoesAway(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record(`{"content":"` + strings.Repeat("x", 100_000) + `"}`)
	defer func() {
		if r := recover(); !reflect.DeepEqual(r, http.ErrAbortHandler) {
			t.Errorf("the handler ended with %v", r)
		}
	}()
	s.handler.ServeHTTP(&brokenWriter{httptest.NewRecorder(), 10_000}, httptest.NewRequest(http.MethodGet, "/api/v1/export", nil))
}

// TestExport_ofAReader: a reader exports what it may see, and cannot import.
func TestExport_ofAReader(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record(`{"content":"mine","project":"p"}`)
	s.record(`{"content":"theirs","project":"q"}`)
	header := asScope(hippo.Scope{Rights: hippo.RightRead, Projects: []string{"p"}})
	if text := string(s.do(http.MethodGet, "/export", "", header...).want(http.StatusOK).body); !strings.Contains(text, "mine") || strings.Contains(text, "theirs") {
		t.Errorf("got %s", text)
	}
}
