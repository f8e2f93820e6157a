package mcpserver

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

const (
	// rootsWait is how long a call waits for a client that was asked in which folders its user works, rootsTimeout how long the question
	// stands.
	rootsWait, rootsTimeout = time.Second, 30 * time.Second
	// locatedFor is how long a project that was found in the store counts: another process may merge or rename it.
	locatedFor = 30 * time.Second
)

// Workspace is where a client works, as far as it says.
type Workspace struct {
	// Client is the name of the program.
	Client string
	// Roots are the folders that the client works in; nil: it does not say.
	Roots []string
}

// workspace keeps what the client of a connection says about where it works.
type workspace struct {
	mu      sync.Mutex
	place   Workspace
	asked   chan struct{} // closed when the client has answered; nil: it was not asked
	located located
}

// located is the scope of a client in the store, and the working trees of its projects.
type located struct {
	of    []project.Identity
	at    time.Time
	scope hippo.Scope
	trees cited.Trees
}

// ask asks a client for its roots, if it has said that it knows them, in the background.
func (w *workspace) ask(ctx context.Context, client *mcp.ServerSession) {
	said := client.InitializeParams()
	if said == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if said.ClientInfo != nil {
		w.place.Client = said.ClientInfo.Name
	}
	if said.Capabilities == nil || said.Capabilities.RootsV2 == nil { //nolint:staticcheck // clients of today have nothing else
		return
	}
	answered := make(chan struct{})
	w.asked = answered
	go func() {
		defer close(answered)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rootsTimeout)
		defer cancel()
		list, err := client.ListRoots(ctx, nil) //nolint:staticcheck // clients of today have nothing else
		if err != nil {
			return
		}
		var roots []string
		for _, r := range list.Roots {
			if dir, ok := folderOf(r.URI); ok && !slices.Contains(roots, dir) {
				roots = append(roots, dir)
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.asked == answered { // nobody asked again meanwhile
			w.place.Roots = roots
		}
	}()
}

// known returns where the client works. It waits a while for the answer of one that was asked.
func (w *workspace) known(ctx context.Context) Workspace {
	w.mu.Lock()
	asked := w.asked
	w.mu.Unlock()
	if asked != nil {
		late := time.NewTimer(rootsWait)
		defer late.Stop()
		select {
		case <-asked:
		case <-late.C:
			w.mu.Lock()
			w.asked = nil // the next call does not wait
			w.mu.Unlock()
		case <-ctx.Done():
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.place
}

// folderOf returns the folder of a URI file:///path.
func folderOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), true
}

// memories returns the memory in the scope of the caller, in the project that the client works in.
func (s *Server) memories(ctx context.Context) (*engine.Memories, located, error) {
	e, err := s.open(ctx)
	if err != nil {
		s.Log.Error("store not opened", "error", err)
		return nil, located{}, err
	}
	at := located{scope: s.Scope(ctx)}
	if s.Project != nil {
		ids := s.Project(ctx, s.workspace.known(ctx))
		if at, err = s.workspace.locate(ctx, e.In(at.scope), ids, s.Now()); err != nil {
			return nil, at, err
		}
	}
	return asAgent(e.In(at.scope), ""), at, nil
}

// locate returns where a client works: its project, and beside it the projects of its other folders.
func (w *workspace) locate(ctx context.Context, m *engine.Memories, ids []project.Identity, now time.Time) (located, error) {
	same := func(a, b project.Identity) bool {
		return a.Name == b.Name && a.Tree == b.Tree && slices.Equal(a.Former, b.Former)
	}
	w.mu.Lock()
	last := w.located
	w.mu.Unlock()
	if slices.EqualFunc(last.of, ids, same) && len(ids) > 0 && now.Sub(last.at) < locatedFor && !now.Before(last.at) {
		return last, nil
	}
	var out hippo.Scope
	trees := make(cited.Trees)
	for i, id := range ids {
		at, err := memory.Locate(ctx, m, id)
		if err != nil {
			return located{}, err
		}
		scope, _ := engine.CallerOf(at)
		trees.Add(id.Tree, scope.Current()...)
		if i == 0 {
			out = scope
			continue
		}
		for _, name := range append([]string{scope.Project}, scope.Also...) {
			if name != "" && name != out.Project && !slices.Contains(out.Also, name) {
				out.Also = append(out.Also, name)
			}
		}
	}
	w.mu.Lock()
	w.located = located{ids, now, out, trees}
	last = w.located
	w.mu.Unlock()
	return last, nil
}
