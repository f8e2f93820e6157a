package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// NamespaceAdmin manages the namespaces of a store for the person who runs it. Scopes do not restrict it. Every method except Limit returns
// [hippo.ErrNotFound] for a name that the store does not have.
type NamespaceAdmin interface {
	// List returns the namespaces, sorted by name.
	List(ctx context.Context) ([]api.Namespace, error)
	// Usage reports what a namespace uses. Cost: a pass over its memories.
	Usage(ctx context.Context, name string) (api.NamespaceUsage, error)
	// Limit changes the limits of a namespace and returns all of them. It creates the namespace if the store does not have it.
	// [hippo.ErrUnsupported]: the store does not support limits.
	Limit(ctx context.Context, name string, by api.NamespaceLimit) (api.NamespaceLimits, error)
	// Memories returns the content of a namespace for reading. The caller can use it until ctx ends.
	Memories(ctx context.Context, name string) (*engine.Memories, error)
	// Delete permanently removes a namespace and its content.
	Delete(ctx context.Context, name string) error
}

// namespacesOf manages the namespaces of a store that holds all of them.
type namespacesOf struct {
	open func(context.Context) (*engine.Engine, error)
}

// NewNamespaceAdmin returns a [NamespaceAdmin] for a store in files. open opens the store. If another process answers for the engine, the
// methods return [hippo.ErrUnsupported].
func NewNamespaceAdmin(open func(context.Context) (*engine.Engine, error)) NamespaceAdmin {
	return namespacesOf{open}
}

func (n namespacesOf) engine(ctx context.Context) (*engine.Engine, error) {
	e, err := n.open(ctx)
	if err == nil && e.Remote != nil {
		err = fmt.Errorf("%w: another process or machine has the store open, and manages its namespaces", hippo.ErrUnsupported)
	}
	return e, err
}

// List implements [NamespaceAdmin]. Cost: a pass over the store.
func (n namespacesOf) List(ctx context.Context) ([]api.Namespace, error) {
	e, err := n.engine(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]api.Namespace)
	for c, err := range e.Store.Changes(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if m := c.Memory; m != nil {
			x := all[m.Namespace]
			addMemory(&x, m)
			all[m.Namespace] = x
		}
	}
	list := make([]api.Namespace, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list, nil
}

// addMemory adds a memory to the counts of its namespace.
func addMemory(x *api.Namespace, m *hippo.Memory) {
	if x.Name = m.Namespace; m.Forgotten() {
		x.Forgotten++
	} else {
		x.Memories++
	}
	x.Bytes += len(m.Content)
	for _, at := range []time.Time{m.CreatedAt, m.UpdatedAt, m.ForgottenAt} {
		if at.After(x.Used) {
			x.Used = at
		}
	}
}

// all returns the memories of a namespace with all rights.
func (n namespacesOf) all(ctx context.Context, name string) (*engine.Memories, error) {
	e, err := n.engine(ctx)
	if err != nil {
		return nil, err
	}
	return e.In(hippo.Scope{Namespace: name, Rights: hippo.AllRights}), nil
}

// Usage implements [NamespaceAdmin].
func (n namespacesOf) Usage(ctx context.Context, name string) (u api.NamespaceUsage, err error) {
	list, err := n.List(ctx)
	if err != nil {
		return u, err
	}
	i := slices.IndexFunc(list, func(x api.Namespace) bool { return x.Name == name })
	if i < 0 {
		return u, unknownNamespace(name)
	}
	u.Namespace = list[i]
	m, err := n.all(ctx, name)
	if err != nil {
		return u, err
	}
	for _, err := range m.Scoped.AllRelations(ctx) {
		if err != nil {
			return u, err
		}
		u.Relations++
	}
	return u, nil
}

func unknownNamespace(name string) error {
	return fmt.Errorf("%w: there is no namespace %q", hippo.ErrNotFound, name)
}

// Limit implements [NamespaceAdmin].
func (namespacesOf) Limit(context.Context, string, api.NamespaceLimit) (api.NamespaceLimits, error) {
	return api.NamespaceLimits{}, fmt.Errorf("%w: limits are kept in a database, and the store is in files: hippo migrate copies it to one, postgres://HOST/DATABASE", hippo.ErrUnsupported)
}

// Memories implements [NamespaceAdmin].
func (n namespacesOf) Memories(ctx context.Context, name string) (*engine.Memories, error) {
	if _, err := n.ids(ctx, name); err != nil {
		return nil, err
	}
	return n.all(ctx, name)
}

// ids returns the IDs of the memories in a namespace.
func (n namespacesOf) ids(ctx context.Context, name string) (ids []hippo.ID, err error) {
	e, err := n.engine(ctx)
	if err != nil {
		return nil, err
	}
	for c, err := range e.Store.Changes(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if c.Memory != nil && c.Memory.Namespace == name {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil, unknownNamespace(name)
	}
	return ids, nil
}

// Delete implements [NamespaceAdmin]. It purges all memories, [hippo.MaxIDs] at a time. If it is interrupted, the next call continues.
func (n namespacesOf) Delete(ctx context.Context, name string) error {
	ids, err := n.ids(ctx, name)
	if err != nil {
		return err
	}
	m, err := n.all(ctx, name)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, hippo.MaxIDs) {
		if err := m.Scoped.Purge(ctx, some); err != nil {
			return err
		}
	}
	return nil
}
