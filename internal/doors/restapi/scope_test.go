package restapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

// requests returns a request that succeeds for the owner of a memory, for every operation.
func requests(id, other string) map[string][2]string {
	ids := `{"uuids":["` + id + `"]}`
	return map[string][2]string{
		"POST /api/v1/memories":               {"/memories", `{"content":"new","supersedes":["` + id + `"]}`},
		"GET /api/v1/memories":                {"/memories", ""},
		"POST /api/v1/memories/get":           {"/memories/get", ids},
		"POST /api/v1/memories/resolve":       {"/memories/resolve", ids},
		"GET /api/v1/memories/{id}":           {"/memories/" + id, ""},
		"PATCH /api/v1/memories/{id}":         {"/memories/" + id, `{"content":"mine"}`},
		"GET /api/v1/memories/{id}/history":   {"/memories/" + id + "/history", ""},
		"GET /api/v1/memories/{id}/votes":     {"/memories/" + id + "/votes", ""},
		"GET /api/v1/memories/{id}/relations": {"/memories/" + id + "/relations", ""},
		"GET /api/v1/memories/{id}/diff":      {"/memories/" + id + "/diff", ""},
		"GET /api/v1/log":                     {"/log?memory=" + id, ""},
		"POST /api/v1/undo":                   {"/undo", `{"operation":"` + id + `"}`},
		"POST /api/v1/search":                 {"/search", `{"query":"secret plan","project":["*"]}`},
		"POST /api/v1/search/sources":         {"/search/sources", `{"query":"secret plan","project":["*"]}`},
		"POST /api/v1/context":                {"/context", `{"prompt":"secret plan","project":"p"}`},
		"POST /api/v1/reinforce":              {"/reinforce", `{"upvotes":["` + id + `"]}`},
		"POST /api/v1/forget":                 {"/forget", ids},
		"POST /api/v1/restore":                {"/restore", ids},
		"POST /api/v1/purge":                  {"/purge", ids},
		"POST /api/v1/relations":              {"/relations", `{"relations":[{"from":"` + id + `","to":"` + other + `","kind":"x"}]}`},
		"POST /api/v1/relations/end":          {"/relations/end", `{"from":"` + id + `","to":"` + other + `","kind":"explains"}`},
		"DELETE /api/v1/relations":            {"/relations?kind=explains&from=" + id + "&to=" + other, ""},
		"GET /api/v1/entities":                {"/entities", ""},
		"POST /api/v1/entities":               {"/entities", `{"name":"Zoe"}`},
		"GET /api/v1/entities/{name}":         {"/entities/" + id, ""},
		"PATCH /api/v1/entities/{name}":       {"/entities/" + id, `{"kind":"plan"}`},
		"DELETE /api/v1/entities/{name}":      {"/entities/" + id, ""},
		"POST /api/v1/entities/merge":         {"/entities/merge", `{"from":"` + id + `","into":"` + other + `"}`},
		"POST /api/v1/entities/split":         {"/entities/split", `{"entity":"` + id + `","name":"Zoe"}`},
		"GET /api/v1/graph/neighbours":        {"/graph/neighbours?id=" + id, ""},
		"GET /api/v1/graph/path":              {"/graph/path?from=" + id + "&to=" + other, ""},
		"GET /api/v1/graph/communities":       {"/graph/communities", ""},
		"GET /api/v1/graph/drawing":           {"/graph/drawing?id=" + id, ""},
		"GET /api/v1/projects":                {"/projects", ""},
		"GET /api/v1/status":                  {"/status", ""},
		"GET /api/v1/clusters":                {"/clusters", ""},
		"GET /api/v1/audit":                   {"/audit?project=*&idle=1", ""},
		"POST /api/v1/consolidate":            {"/consolidate", `{"horizon":"monthly"}`},
		"GET /api/v1/export":                  {"/export", ""},
		"POST /api/v1/import":                 {"/import", `{"hippo_export":1,"active_day_counter":1,"last_calendar_date_used":null}`},
		"GET /api/v1/events":                  {"/events", ""}, // see events_test.go
		"GET /api/v1/openapi.json":            {"/openapi.json", ""},
		"GET /api/v1/namespaces":              {"/namespaces", ""},
		"DELETE /api/v1/namespaces":           {"/namespaces?namespace=x", ""},
		"GET /api/v1/namespaces/usage":        {"/namespaces/usage?namespace=", ""},
		"GET /api/v1/namespaces/export":       {"/namespaces/export?namespace=", ""},
		"POST /api/v1/namespaces/limit":       {"/namespaces/limit", `{"namespace":""}`},
		"GET /api/v1/sync":                    {"/sync", ""},
		"DELETE /api/v1/sync":                 {"/sync", ""},
		"POST /api/v1/sync/now":               {"/sync/now", ""},
		"POST /api/v1/sync/verify":            {"/sync/verify", ""},
		"POST /api/v1/sync/rebuild":           {"/sync/rebuild", ""},
		"POST /api/v1/sync/retire":            {"/sync/retire", `{"machine":"laptop"}`},
		"/api/v1/":                            {"/else", ""},
	}
}

// TestRights: every route needs its right, and no other one is enough.
func TestRights(t *testing.T) {
	t.Parallel()
	s := start(t)
	m, o := s.record(`{"content":"a secret plan"}`), s.record(`{"content":"other"}`)
	table := requests(m.UUID, o.UUID)
	for _, route := range s.routes {
		request, ok := table[route.Pattern]
		if !ok {
			t.Errorf("%s is not tested", route.Pattern)
			continue
		}
		delete(table, route.Pattern)
		method, _, ok := strings.Cut(route.Pattern, " ")
		if !ok {
			continue
		}
		for _, rights := range []hippo.Rights{0, hippo.AllRights &^ route.Rights} {
			s.do(method, request[0], request[1], asScope(hippo.Scope{Rights: rights})...).failed(http.StatusForbidden, "forbidden", "")
		}
	}
	if len(table) > 0 {
		t.Errorf("there are no routes %v", table)
	}
}

// TestScope: what is outside of the scope of a caller is not there, by any route, whether it is of another
// namespace or another project.
func TestScope(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string]hippo.Scope{
		"namespace": {Namespace: "tenant", Rights: hippo.AllRights},
		"project":   {Projects: []string{"q"}, Rights: hippo.AllRights, Project: "q"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			m, o := s.record(`{"content":"a secret plan","project":"p"}`), s.record(`{"content":"a secret plan B","project":"p"}`)
			s.do(http.MethodPost, "/relations", `{"relations":[{"from":"`+m.UUID+`","to":"`+o.UUID+`","kind":"explains"}]}`).want(http.StatusOK)
			s.do(http.MethodPost, "/memories", `{"content":"new","supersedes":["`+o.UUID+`"]}`).want(http.StatusCreated)
			before := s.do(http.MethodGet, "/export", "").want(http.StatusOK).body
			header := asScope(scope)
			for _, id := range []string{m.UUID, m.UUID[24:]} {
				for pattern, request := range requests(id, o.UUID) {
					method, path, _ := strings.Cut(pattern, " ")
					if path == "" || strings.HasSuffix(path, "/events") || pattern == "POST /api/v1/entities" { // a stranger may add one of his own
						continue
					}
					kind := "application/json"
					if strings.HasSuffix(path, "/import") {
						kind = "application/x-ndjson"
					}
					if strings.HasPrefix(request[0], "/namespaces") || strings.HasPrefix(request[0], "/sync") { // of whoever runs the server
						s.do(method, request[0], request[1], header...).failed(http.StatusForbidden, "forbidden", "")
						continue
					}
					r := s.do(method, request[0], request[1], append(header, "Content-Type", kind)...)
					named := strings.Contains(request[0]+request[1], id)
					if named && r.status != http.StatusNotFound || !named && r.status != http.StatusOK {
						t.Errorf("%s: status %d: %s", pattern, r.status, r.body)
					}
					if strings.Contains(string(r.body), "secret plan") || !named && strings.Contains(string(r.body), m.UUID[24:]) {
						t.Errorf("%s: %s", pattern, r.body)
					}
				}
			}
			var status struct {
				Memories, Forgotten int
				Total               int `json:"total_count"`
			}
			for _, path := range []string{"/status", "/memories?project=*"} {
				if s.do(http.MethodGet, path, "", header...).into(&status); status.Memories+status.Forgotten+status.Total != 0 {
					t.Errorf("%s counts %+v", path, status)
				}
			}
			var listed struct{ Projects []string }
			if s.do(http.MethodGet, "/projects", "", header...).into(&listed); len(listed.Projects) != 0 {
				t.Errorf("the projects are %q", listed.Projects)
			}
			if d := cmp.Diff(string(before), string(s.do(http.MethodGet, "/export", "").want(http.StatusOK).body)); d != "" {
				t.Errorf("a stranger has changed something:\n%s", d)
			}
		})
	}
}

// TestScope_ofWrites: nothing is recorded or imported outside of the scope.
func TestScope_ofWrites(t *testing.T) {
	t.Parallel()
	s := start(t)
	header := asScope(hippo.Scope{Projects: []string{"q"}, Rights: hippo.AllRights, Project: "q"})
	s.do(http.MethodPost, "/memories", `{"content":"a","project":"p"}`, header...).failed(http.StatusBadRequest, "invalid", "project")
	s.do(http.MethodPost, "/memories", `{"content":"a","namespace":"x"}`, header...).failed(http.StatusBadRequest, "invalid", "namespace")
	if m := s.record(`{"content":"a"}`, header...); m.Project != "q" {
		t.Errorf("the project is %q", m.Project)
	}
	export := s.do(http.MethodGet, "/export", "").want(http.StatusOK).body
	moved := strings.Replace(strings.Replace(string(export), `"project":"q"`, `"project":"p","namespace":"x"`, 1), `"uuid":"01`, `"uuid":"02`, 1)
	var out struct {
		Added    int
		Rejected []string
	}
	s.do(http.MethodPost, "/import", moved, append(header, "Content-Type", "application/x-ndjson")...).want(http.StatusOK).into(&out)
	if out.Added != 0 || len(out.Rejected) != 1 || !strings.Contains(out.Rejected[0], "project") {
		t.Errorf("got %+v of %s", out, moved)
	}
	for _, detail := range []string{"/home", "memory:"} {
		if body := string(s.do(http.MethodGet, "/status", "", asScope(hippo.Scope{Rights: hippo.RightRead})...).body); strings.Contains(body, detail) {
			t.Errorf("the status of a reader is %s", body)
		}
	}
}
