package app

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/project"
)

// WorkIn returns the work in progress in the repository of a folder, with what the changed files define, if a code index
// knows them. What cannot be read within the deadline of ctx is left out; see [project.StateOf].
func WorkIn(ctx context.Context, dir string) api.Work {
	state := project.StateOf(ctx, dir)
	w := api.Work{State: state.Text(), Files: state.Changed}
	root, ok := project.Root(dir)
	if !ok || len(state.Changed) == 0 || !CodeIndexed() {
		return w
	}
	names := make(chan []string, 1)
	go func() {
		names <- codeindex.NewLibrary(codeindex.Config{Dir: codeFolder()}).Defined(root, state.Changed)
	}()
	select {
	case w.Names = <-names:
	case <-ctx.Done():
	}
	return w
}
