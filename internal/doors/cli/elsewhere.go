package cli

import (
	"context"
	"os"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// importedInto returns a function that reports whether one of the last imports into a store read a path. A store that cannot be
// asked has none.
func importedInto(ctx context.Context, s *shell, cfg config.Config) func(path string) bool {
	return func(path string) (found bool) {
		if cfg.Store.Remote() || exists(cfg.Store) != nil {
			return false
		}
		_ = s.withShared(ctx, cfg, func(m *engine.Memories) error {
			found = hasImported(ctx, m, path)
			return nil
		})
		return found
	}
}

// hasImported reports whether one of the last imports read a path.
func hasImported(ctx context.Context, m *engine.Memories, path string) bool {
	page, err := memory.Operations(ctx, m, api.Operations{Count: hippo.MaxCount})
	if err != nil {
		return false
	}
	for _, op := range page.Operations {
		if op.Verb == hippo.VerbImport && op.By.URI == path {
			return true
		}
	}
	return false
}

// elsewhere returns where other programs keep memories that a store does not have.
func elsewhere(cfg config.Config, imported func(path string) bool) []setup.Elsewhere {
	host, err := setup.NewHost()
	if err != nil || cfg.Store.Remote() {
		return nil
	}
	return host.Elsewhere([]config.Store{cfg.Store}, imported)
}

// noticeAtSetup warns of another program with our name that shells find first, and says where other programs keep memories.
func noticeAtSetup(ctx context.Context, s *shell) {
	warnOfOther(s)
	cfg, err := s.config()
	if err != nil {
		return // setup has failed with it
	}
	for _, e := range elsewhere(cfg, importedInto(ctx, s, cfg)) {
		s.warn("%s", e.Text())
	}
}

// noticeElsewhere says where other programs keep memories if there is no store yet: who has put this program in the place of another one
// would else find an empty memory without the tools of the other.
func noticeElsewhere(s *shell, cfg config.Config) {
	if cfg.Store.Remote() || app.Exists(cfg.Store) {
		return
	}
	for _, e := range elsewhere(cfg, nil) {
		text := "this memory is empty; " + e.Text()
		if e.Tools != "" {
			text += "; to go on with that file and the tools of " + e.Program + ": hippo serve --tools " + e.Tools + " --db " + strings.TrimPrefix(e.Import, "hippo import ")
		}
		notice(s, "%s", text)
	}
}

// warnOfOther warns of another program with our name that shells find first.
func warnOfOther(s *shell) {
	host, err := setup.NewHost()
	if err != nil {
		return
	}
	binary, err := setup.BinaryPath(os.Args[0])
	if err != nil {
		return
	}
	if other := host.OtherProgram(binary); other != "" {
		s.warn("a shell finds another hippo first on the PATH: %s; clients start %s by its full path, and plugin folders whatever the PATH finds", other, binary)
	}
}
