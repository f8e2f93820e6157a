package restapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Whoever runs the server sees the namespaces, exports and deletes one; the others stay.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	s := start(t)
	acme := asScope(hippo.Scope{Namespace: "acme", Rights: hippo.AllRights})
	s.do(http.MethodPost, "/memories", `{"content":"the mill closes"}`).want(http.StatusCreated)
	s.do(http.MethodPost, "/memories", `{"content":"the depot opens"}`, acme...).want(http.StatusCreated)
	s.do(http.MethodPost, "/memories", `{"content":"the depot has two gates"}`, acme...).want(http.StatusCreated)
	var all struct{ Namespaces []api.Namespace }
	s.do(http.MethodGet, "/namespaces", "").want(http.StatusOK).into(&all)
	if n := all.Namespaces; len(n) != 2 || n[0].Name != "" || n[0].Memories != 1 || n[1].Name != "acme" || n[1].Memories != 2 || n[1].Bytes != 38 || n[1].Used.IsZero() {
		t.Errorf("got %+v", n)
	}
	var used api.NamespaceUsage
	if s.do(http.MethodGet, "/namespaces/usage?namespace=acme", "").want(http.StatusOK).into(&used); used.Namespace != all.Namespaces[1] {
		t.Errorf("got %+v", used)
	}
	export := string(s.do(http.MethodGet, "/namespaces/export?namespace=acme", "").want(http.StatusOK).body)
	if !strings.Contains(export, "two gates") || strings.Contains(export, "mill") {
		t.Errorf("the export is %s", export)
	}
	s.do(http.MethodPost, "/namespaces/limit", `{"namespace":"acme","memories":5}`).failed(http.StatusNotImplemented, "unsupported", "")
	for _, path := range []string{"/namespaces/usage", "/namespaces/export"} {
		if got := string(s.do(http.MethodGet, path, "").want(http.StatusOK).body); strings.Contains(got, "depot") || strings.Contains(got, "acme") {
			t.Errorf("%s without a name: %s", path, got)
		}
		s.do(http.MethodGet, path+"?namespace=nobody", "").failed(http.StatusNotFound, "not_found", "")
	}
	s.do(http.MethodDelete, "/namespaces", "").failed(http.StatusBadRequest, "invalid", "namespace")
	s.do(http.MethodDelete, "/namespaces?namespace=acme", "").want(http.StatusNoContent)
	s.do(http.MethodDelete, "/namespaces?namespace=acme", "").failed(http.StatusNotFound, "not_found", "")
	if s.do(http.MethodGet, "/namespaces", "").want(http.StatusOK).into(&all); len(all.Namespaces) != 1 || all.Namespaces[0].Memories != 1 {
		t.Errorf("after the deletion: %+v", all)
	}
}
