package cli_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// TestPostgresScripts runs the scripts about stores in a database, each with an empty one of its own: DB is its URL, DB_AS_ROLE that for
// the role ROLE, which a script creates, and "sql STATEMENT..." runs statements in it.
func TestPostgresScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "postgres"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for name, value := range environment(e.WorkDir) {
				e.Setenv(name, value)
			}
			e.Setenv("HIPPO_MODEL", "static")
			url, role := pgtest.URL(t), "hippo_"+strings.ToLower(rand.Text())
			e.Setenv("DB", url)
			e.Setenv("ROLE", role)
			e.Setenv("DB_AS_ROLE", pgtest.With(t, url, "user", role))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":   code,
			"follow": follow,
			"sql": func(ts *testscript.TestScript, _ bool, statements []string) {
				pgtest.Exec(t, ts.Getenv("DB"), statements...)
			},
		},
	})
}
