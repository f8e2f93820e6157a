package restapi_test

import (
	"bytes"
	"fmt"
	"net/http"
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
