package restapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type entity struct {
	UUID, Name, Kind, Description string
	Aliases                       []string
}

func TestEntities(t *testing.T) {
	t.Parallel()
	s := start(t)
	var ana entity
	var got, found struct {
		Entity   entity
		Mentions []struct{ Content string }
		Memories int
	}
	s.do(http.MethodPost, "/entities", `{"name":"Anastasia Petrova","kind":"person","aliases":["Ana"],"description":"runs the gateway"}`).want(http.StatusCreated).into(&ana)
	s.do(http.MethodGet, "/entities/ana", "").want(http.StatusOK).into(&got)
	if d := cmp.Diff(ana, got.Entity); d != "" || ana.UUID == "" || ana.Description != "runs the gateway" {
		t.Errorf("%+v, and again (-want +got):\n%s", ana, d)
	}
	s.record(`{"content":"met Carla Rossi at docs/plan.md","situation":["x"]}`)
	s.do(http.MethodGet, "/entities/docs%2Fplan.md", "").want(http.StatusOK).into(&found)
	if found.Entity.Kind != "file" || found.Entity.UUID != "" || len(found.Mentions) != 1 || found.Memories != 1 {
		t.Errorf("found %+v", found)
	}
	var changed entity
	s.do(http.MethodPatch, "/entities/Ana", `{"aliases":["the boss"],"kind":"engineer","reason":"promoted"}`).want(http.StatusOK).into(&changed)
	if changed.Kind != "engineer" || len(changed.Aliases) != 2 {
		t.Errorf("changed %+v", changed)
	}
	s.do(http.MethodPost, "/entities", `{"name":"Nastya"}`).want(http.StatusCreated)
	s.do(http.MethodPost, "/entities", `{"name":"Rome"}`).want(http.StatusCreated)
	s.do(http.MethodPost, "/relations", `{"relations":[{"from":"Nastya","to":"rome","kind":"lives_in"}]}`).want(http.StatusOK)
	var moved struct {
		Entity, Other entity
		Moved         int
	}
	s.do(http.MethodPost, "/entities/merge", `{"from":"Nastya","into":"the boss"}`).want(http.StatusOK).into(&moved)
	if moved.Entity.UUID != ana.UUID || moved.Moved != 1 || moved.Other.Name != "Nastya" {
		t.Errorf("merged %+v", moved)
	}
	s.do(http.MethodPost, "/entities/split", `{"entity":"Ana","name":"Nastya","related":[]}`).want(http.StatusOK).into(&moved)
	if moved.Entity.Name != "Nastya" || moved.Other.UUID != ana.UUID {
		t.Errorf("split %+v", moved)
	}
	var list struct {
		Entities []entity
		Total    int
	}
	s.do(http.MethodGet, "/entities?kind=engineer&limit=5", "").want(http.StatusOK).into(&list)
	if list.Total != 1 || list.Entities[0].UUID != ana.UUID {
		t.Errorf("listed %+v", list)
	}
	s.do(http.MethodDelete, "/entities/Ana", "").want(http.StatusOK)
	s.do(http.MethodGet, "/entities/Ana", "").want(http.StatusNotFound)

	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/entities", `{"name":"rome"}`, http.StatusConflict},
		{http.MethodPost, "/entities", `{"name":""}`, http.StatusBadRequest},
		{http.MethodPost, "/entities", `{}`, http.StatusBadRequest},
		{http.MethodPost, "/entities/merge", `{"from":"Rome","into":"rome"}`, http.StatusBadRequest},
		{http.MethodPost, "/entities/merge", `{"from":"nobody","into":"rome"}`, http.StatusNotFound},
		{http.MethodPatch, "/entities/Rome", `{"without":["Roma"]}`, http.StatusNotFound},
		{http.MethodGet, "/entities/Rome?max_tokens=1", "", http.StatusBadRequest},
		{http.MethodGet, "/entities?limit=0", "", http.StatusBadRequest},
	} {
		s.do(c.method, c.path, c.body).want(c.status)
	}
}

func TestGraph(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, name := range []string{"Gateway", "Billing", "Postgres"} {
		s.do(http.MethodPost, "/entities", `{"name":"`+name+`"}`).want(http.StatusCreated)
	}
	s.do(http.MethodPost, "/relations", `{"relations":[{"from":"gateway","to":"billing","kind":"calls"},{"from":"billing","to":"postgres","kind":"depends_on"}]}`).want(http.StatusOK)
	type node struct {
		Content  string
		Distance int
	}
	var near struct{ Nodes []node }
	s.do(http.MethodGet, "/graph/neighbours?id=Gateway&depth=2&direction=out", "").want(http.StatusOK).into(&near)
	if d := cmp.Diff([]node{{"Gateway", 0}, {"Billing", 1}, {"Postgres", 2}}, near.Nodes); d != "" {
		t.Errorf("neighbours (-want +got):\n%s", d)
	}
	var path struct {
		Found bool
		Paths []struct{ UUIDs []string }
	}
	s.do(http.MethodGet, "/graph/path?from=Gateway&to=postgres", "").want(http.StatusOK).into(&path)
	if !path.Found || len(path.Paths) != 1 || len(path.Paths[0].UUIDs) != 3 {
		t.Errorf("path %+v", path)
	}
	var groups struct{ Total, Insights, Relations int }
	s.do(http.MethodGet, "/graph/communities?kind=calls", "").want(http.StatusOK).into(&groups)
	if groups.Total != 1 || groups.Insights != 2 || groups.Relations != 1 {
		t.Errorf("communities %+v", groups)
	}
	var drawn struct{ Format, Text string }
	s.do(http.MethodGet, "/graph/drawing?id=Gateway&format=graphviz", "").want(http.StatusOK).into(&drawn)
	if drawn.Format != "graphviz" || len(drawn.Text) == 0 {
		t.Errorf("drawing %+v", drawn)
	}
	for path, status := range map[string]int{
		"/graph/neighbours?id=nobody":             http.StatusNotFound,
		"/graph/neighbours?id=Gateway&depth=11":   http.StatusBadRequest,
		"/graph/neighbours":                       http.StatusBadRequest,
		"/graph/drawing?id=Gateway&format=png":    http.StatusBadRequest,
		"/graph/communities?limit=101":            http.StatusBadRequest,
		"/graph/path?from=Gateway&to=nobody":      http.StatusNotFound,
		"/graph/path?from=Gateway&to=x&limit=101": http.StatusBadRequest,
	} {
		s.do(http.MethodGet, path, "").want(status)
	}
}

// Of several periods of a relation one is ended and removed by its beginning; without it the last one is ended, and all are removed.
func TestRelations_Periods(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do(http.MethodPost, "/entities", `{"name":"Ana"}`).want(http.StatusCreated)
	s.do(http.MethodPost, "/entities", `{"name":"Rome"}`).want(http.StatusCreated)
	period := func(from string) string {
		return `{"from":"Ana","to":"Rome","kind":"visits","valid_from":"` + from + `","valid_until":"` + from[:4] + `-12-31T00:00:00Z"}`
	}
	const first, second, third = "2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "2023-01-01T00:00:00Z"
	s.do(http.MethodPost, "/relations", `{"relations":[`+period(first)+","+period(second)+","+period(third)+`]}`).want(http.StatusOK)
	periods := func() (list []string) {
		var page struct {
			Relations []struct {
				ValidFrom  string `json:"valid_from"`
				ValidUntil string `json:"valid_until"`
			}
			FormerRelations []struct {
				ValidFrom  string `json:"valid_from"`
				ValidUntil string `json:"valid_until"`
			} `json:"former_relations"`
		}
		s.do(http.MethodGet, "/entities/Ana", "").want(http.StatusOK).into(&page)
		for _, r := range append(page.Relations, page.FormerRelations...) {
			list = append(list, r.ValidFrom[:4]+" "+r.ValidUntil[:7])
		}
		slices.Sort(list)
		return list
	}
	s.do(http.MethodPost, "/relations/end", `{"from":"Ana","to":"Rome","kind":"visits","valid_from":"`+second+`","valid_until":"2021-06-01T00:00:00Z"}`).want(http.StatusOK)
	if got := periods(); !slices.Equal(got, []string{"2019 2019-12", "2021 2021-06", "2023 2023-12"}) {
		t.Errorf("after one was ended there are %q", got)
	}
	s.do(http.MethodPost, "/relations/end", `{"from":"Ana","to":"Rome","kind":"visits","valid_from":"2022-01-01T00:00:00Z"}`).want(http.StatusNotFound)
	s.do(http.MethodDelete, "/relations?from=Ana&to=Rome&kind=visits&valid_from="+second, "").want(http.StatusNoContent)
	if got := periods(); !slices.Equal(got, []string{"2019 2019-12", "2023 2023-12"}) {
		t.Errorf("after one was removed there are %q", got)
	}
	s.do(http.MethodDelete, "/relations?from=Ana&to=Rome&kind=visits&valid_from="+second, "").want(http.StatusNotFound)
	s.do(http.MethodDelete, "/relations?from=Ana&to=Rome&kind=visits", "").want(http.StatusNoContent)
	if got := periods(); len(got) != 0 {
		t.Errorf("after all were removed there are %q", got)
	}
}
