package restapi_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
)

// What one tenant asks has the same answer, byte for byte, before and after another one writes: no count, word or ID of it.
func TestTenants_AnswersDoNotDependOnOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, a := range []hippo.Scope{
		{Namespace: "a", Rights: hippo.AllRights &^ hippo.RightMetrics},
		{Namespace: "b", Projects: []string{"mine"}, Project: "mine", Rights: hippo.AllRights &^ hippo.RightMetrics},
	} {
		mine := s.record(`{"content":"The heron nests by the northern weir.","project":"mine"}`, asScope(a)...)
		requests := requests(mine.UUID, mine.UUID)
		read := func() []byte {
			var out bytes.Buffer
			for _, name := range []string{
				"GET /api/v1/status", "GET /api/v1/memories", "GET /api/v1/projects", "GET /api/v1/entities", "GET /api/v1/log", "GET /api/v1/clusters", "GET /api/v1/audit",
				"POST /api/v1/memories/get", "POST /api/v1/search/sources", "GET /api/v1/graph/communities",
			} {
				method := http.MethodGet
				if name[0] == 'P' {
					method = http.MethodPost
				}
				got := s.do(method, requests[name][0], requests[name][1], asScope(a)...)
				fmt.Fprintf(&out, "%s: %d %s\n", name, got.status, got.body)
			}
			return out.Bytes()
		}
		before := read()
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{4,12}`), 3, 9)
		rapid.Check(t, func(r *rapid.T) {
			b := hippo.Scope{Namespace: rapid.SampledFrom([]string{"c", ""}).Draw(r, "namespace"), Rights: hippo.AllRights}
			other := s.record(fmt.Sprintf(`{"content":"heron weir %v","project":"theirs","tags":["secret"]}`, words.Draw(r, "words")), asScope(b)...)
			if rapid.Bool().Draw(r, "forget") {
				s.do(http.MethodPost, "/forget", `{"uuids":["`+other.UUID+`"]}`, asScope(b)...).want(http.StatusOK)
			}
			if after := read(); !bytes.Equal(before, after) {
				r.Fatalf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// Every request of one tenant has the same answer, byte for byte but for the IDs, in a store of its own and in one that another
// tenant and another project use, too: reading, changing, and what is refused.
func TestTenants_EveryAnswer(t *testing.T) {
	t.Parallel()
	for _, mine := range []hippo.Scope{
		{Namespace: "a", Rights: hippo.AllRights &^ hippo.RightMetrics},
		{Projects: []string{"p"}, Project: "p", Rights: hippo.AllRights &^ hippo.RightMetrics},
	} {
		alone, shared := answersOf(t, mine, false), answersOf(t, mine, true)
		for _, name := range slices.Sorted(maps.Keys(alone)) {
			if alone[name] != shared[name] {
				t.Errorf("%+v: %s\nalone:  %s\nshared: %s", mine, name, alone[name], shared[name])
			}
		}
	}
}

// answersOf records memories of a tenant, with those of others before, between and after them if the store is shared, and
// returns the answers to all requests about one of them.
func answersOf(t *testing.T, mine hippo.Scope, shared bool) map[string]string {
	t.Helper()
	s := start(t)
	names := 0
	others := func(n int) {
		for i := range n * 4 {
			if !shared {
				return
			}
			scope := hippo.Scope{Namespace: []string{"", "b"}[i%2], Rights: hippo.AllRights}
			m := s.record(fmt.Sprintf(`{"content":"The secret plan %d of the heron by the weir","project":"other","tags":["weir"],"type":"decision"}`, i), asScope(scope)...)
			names++
			s.do(http.MethodPost, "/entities", fmt.Sprintf(`{"name":"Zoe %d"}`, names), asScope(scope)...).want(http.StatusCreated)
			s.do(http.MethodPost, "/reinforce", `{"upvotes":["`+m.UUID+`"],"query":"secret plan"}`, asScope(scope)...).want(http.StatusOK)
		}
	}
	others(2)
	m := s.record(`{"content":"A secret plan of the weir","project":"p"}`, asScope(mine)...)
	others(1)
	o := s.record(`{"content":"Another plan of the heron","project":"p","tags":["heron"]}`, asScope(mine)...)
	others(2)
	table, out := requests(m.UUID, o.UUID), make(map[string]string)
	for _, pattern := range slices.Sorted(maps.Keys(table)) {
		method, _, ok := strings.Cut(pattern, " ")
		if !ok || pattern == "GET /api/v1/events" {
			continue
		}
		r := s.do(method, table[pattern][0], table[pattern][1], asScope(mine)...)
		delete(r.header, "Etag") // of an answer with IDs
		out[pattern] = withoutIDs(fmt.Sprintf("%d %v %s", r.status, r.header, r.body))
	}
	return out
}

// withoutIDs writes the IDs in a text, whole or short, as the numbers of their first places.
func withoutIDs(text string) string {
	numbers := make(map[string]string)
	return regexp.MustCompile(`\b([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{4})?[0-9a-f]{8}\b`).ReplaceAllStringFunc(text, func(id string) string {
		short := id[len(id)-8:]
		if numbers[short] == "" {
			numbers[short] = fmt.Sprintf("ID%d", len(numbers))
		}
		return numbers[short]
	})
}
