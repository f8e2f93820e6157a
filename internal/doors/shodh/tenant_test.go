package shodh_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// Every request of one tenant has the same answer, byte for byte but for the IDs, in a store of its own and in one that other tenants use.
func TestTenants_EveryAnswer(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	answers := func(mine hippo.Scope, pattern string, shared bool) string {
		t.Helper()
		s := startWith(t, doc)
		others := func(n int) {
			for i := range n {
				if shared {
					o := hippo.Scope{Namespace: []string{"", "b"}[i%2], Project: "other", Rights: hippo.AllRights}
					s.as(o, "POST", "/api/remember", object{"content": fmt.Sprint("the tenant memory of another, number ", i), "tags": []string{"theirs", "hidden"}, "type": "Task"})
				}
			}
		}
		others(5)
		id := s.as(mine, "POST", "/api/remember", object{"content": "the tenant memory", "tags": []string{"theirs"}}).text("id")
		s.as(mine, "POST", "/api/remember", object{"content": "another tenant memory of mine", "tags": []string{"mine"}})
		others(5)
		q := requests(id)[pattern]
		a := s.as(mine, q.method, q.path, q.body)
		return regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(fmt.Sprintf("%d %s", a.status, a.body), "ID")
	}
	for _, mine := range []hippo.Scope{
		{Namespace: "a", Rights: hippo.AllRights &^ hippo.RightMetrics &^ hippo.RightAdmin},
		{Projects: []string{"p"}, Project: "p", Rights: hippo.AllRights &^ hippo.RightMetrics &^ hippo.RightAdmin},
	} {
		for _, pattern := range slices.Sorted(maps.Keys(requests("ID"))) {
			alone, shared := answers(mine, pattern, false), answers(mine, pattern, true)
			if alone != shared || strings.Contains(shared, "hidden") {
				t.Errorf("%+v: %s\nalone:  %s\nshared: %s", mine, pattern, alone, shared)
			}
		}
	}
}
