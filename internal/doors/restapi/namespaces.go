package restapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// operator is the right of whoever runs the server: no token that is restricted to a namespace or to projects has it.
const operator = hippo.RightAdmin | hippo.RightMetrics

// ofNamespaces lists the operations about the namespaces of the store.
func ofNamespaces() []operation {
	return []operation{
		{
			method: get, path: "/namespaces", id: "namespaces", summary: "List the namespaces of the store, with what each of them has", rights: operator,
			input: func() input { return &namespacesInput{} }, answer: namespaces{}, long: true,
		},
		{
			method: http.MethodDelete, path: "/namespaces", id: "deleteNamespace", summary: "Delete a namespace with everything in it, for good", rights: operator,
			input: func() input { return &deleteInput{} }, status: http.StatusNoContent, long: true,
		},
		{
			method: get, path: "/namespaces/usage", id: "namespaceUsage", summary: "Describe what a namespace uses", rights: operator,
			input: func() input { return &usageInput{} }, answer: api.NamespaceUsage{}, long: true,
		},
		{
			method: get, path: "/namespaces/export", id: "exportNamespace", summary: "Export all memories of a namespace as JSON lines", rights: operator,
			input: func() input { return &exportNamespaceInput{} }, stream: lines,
		},
		{
			method: post, path: "/namespaces/limit", id: "limitNamespace", summary: "Change the limits of a namespace, and return all of them", rights: operator,
			input: func() input { return &limitInput{} }, answer: api.NamespaceLimits{},
		},
	}
}

// restricted reports whether a caller does not reach all of the default namespace, and so does not run the server.
func restricted(s *hippo.Scope) bool { return s.Namespace != "" || s.Projects != nil }

// admin returns what manages the namespaces of the store.
func (r *request) admin() (memory.NamespaceAdmin, error) {
	if r.server.Namespaces == nil {
		return nil, fmt.Errorf("%w: this server does not manage its namespaces", hippo.ErrUnsupported)
	}
	return r.server.Namespaces, nil
}

type namespacesInput struct{}

func (*namespacesInput) Args() []verb.Arg { return nil }

// namespaces are those of the store.
type namespaces struct {
	Namespaces []api.Namespace `json:"namespaces"`
}

func (*namespacesInput) call(ctx context.Context, r *request) (reply, error) {
	admin, err := r.admin()
	if err != nil {
		return reply{}, err
	}
	list, err := admin.List(ctx)
	return reply{status: http.StatusOK, data: namespaces{list}, count: len(list)}, err
}

type usageInput struct{ verb.Namespace }

func (in *usageInput) call(ctx context.Context, r *request) (reply, error) {
	admin, err := r.admin()
	if err != nil {
		return reply{}, err
	}
	u, err := admin.Usage(ctx, in.Namespace.Namespace)
	return reply{status: http.StatusOK, data: u}, err
}

type limitInput struct{ verb.Limit }

func (in *limitInput) call(ctx context.Context, r *request) (reply, error) {
	admin, err := r.admin()
	if err != nil {
		return reply{}, err
	}
	l, err := admin.Limit(ctx, in.Namespace.Namespace, in.By)
	return reply{status: http.StatusOK, data: l}, err
}

type exportNamespaceInput struct{ verb.Namespace }

func (in *exportNamespaceInput) call(ctx context.Context, r *request) (reply, error) {
	admin, err := r.admin()
	if err != nil {
		return reply{}, err
	}
	m, err := admin.Memories(ctx, in.Namespace.Namespace)
	if err != nil {
		return reply{}, err
	}
	return writeExport(ctx, r, m)
}

// deleteInput must name a namespace: the default one is not deleted by a request that lacks a name.
type deleteInput struct{ verb.Namespace }

func (in *deleteInput) Args() []verb.Arg {
	name := in.Namespace.Args()[0]
	name.Is, name.About = verb.Required, "its name; hippo tenant delete also deletes the one without"
	return []verb.Arg{name}
}

func (in *deleteInput) call(ctx context.Context, r *request) (reply, error) {
	admin, err := r.admin()
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, admin.Delete(ctx, in.Namespace.Namespace)
}
