package shodh_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/shodh"
)

// TestBlanks: every optional parameter of every operation, by each of its names, is absent if it is blank, and one that is required
// is missing. To forget by tags, a blank one is refused: it would widen the deletion.
func TestBlanks(t *testing.T) {
	t.Parallel()
	doc, tried := loadDocument(t), 0
	answered := func(q request) string {
		t.Helper()
		s := startWith(t, doc)
		id := s.remember(object{"content": "the tenant memory", "tags": []string{"theirs"}, "type": "Decision"})
		a := s.send(q.method, strings.ReplaceAll(q.path, "ID", id), q.body)
		if err := s.engine.Flush(t.Context()); err != nil { // the counts of uses
			t.Fatal(err)
		}
		kept := s.send("GET", "/api/memories", nil)
		text := fmt.Sprintf("%d %s\nstored: %s", a.status, a.body, kept.body)
		return regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(text, "ID")
	}
	for pattern, params := range shodh.Params() {
		base := requests("ID")[pattern]
		for name, p := range params {
			tried++
			for i, blank := range []any{nil, " ", []string{}, []string{""}} {
				q, without := base, base
				if q.body == nil {
					if i > 1 { // a query has texts
						continue
					}
					path, query, _ := strings.Cut(base.path, "?")
					values, err := url.ParseQuery(query)
					if err != nil {
						t.Fatal(err)
					}
					values.Del(name)
					without.path = path + "?" + values.Encode()
					values.Set(name, strings.Repeat(" ", i))
					q.path = path + "?" + values.Encode()
				} else {
					q.body, without.body = maps.Clone(base.body), maps.Clone(base.body)
					delete(without.body, name)
					q.body[name] = blank
				}
				got, want := answered(q), answered(without)
				if pattern == "POST /api/forget/by-tags" && blank != nil && !p.Required {
					if !strings.HasPrefix(got, "400 ") || !strings.Contains(got, name+": must be") || !strings.Contains(got, "the tenant memory") {
						t.Errorf("%s with %s %q: %s", pattern, name, fmt.Sprint(blank), got)
					}
					continue
				}
				if got != want {
					t.Errorf("%s with %s %q:\n%s\nwithout it:\n%s", pattern, name, fmt.Sprint(blank), got, want)
				}
				if p.Required && base.body[name] != nil && !bytes.Contains([]byte(got), []byte("is required")) {
					t.Errorf("%s with %s %q: %s", pattern, name, fmt.Sprint(blank), got)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d parameters were tried", tried)
	}
}

// TestUpdate_Clear: fields are emptied by name alone.
func TestUpdate_Clear(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := "/api/memories/" + s.remember(object{"content": "kept", "tags": []string{"a"}, "type": "Decision"})
	for _, step := range []struct {
		change      object
		status      int
		tags, field string
	}{
		{object{"tags": []string{}, "type": "", "quality_score": .7}, 200, "[a]", ""},
		{object{"clear": []string{"content"}}, 400, "[a]", "clear"},
		{object{"clear": []string{"tags"}, "tags": []string{"b"}}, 400, "[a]", "clear"},
		{object{"clear": []string{"tags", "tags"}}, 200, "[]", ""},
	} {
		a := s.send("PATCH", path, step.change)
		tags := fmt.Sprint(s.must(200, "GET", path, nil).get("tags"))
		if a.status != step.status || a.text("details", "field") != step.field || tags != step.tags {
			t.Errorf("%v: %d %s, tags %s", step.change, a.status, a.body, tags)
		}
	}
}
