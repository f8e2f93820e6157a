package arch_test

// module is the path of this module, root its directory seen from this one.
const (
	module = "github.com/hippo-memory/hippo"
	root   = "../.."
)

// Limits of size. Those of files and functions hold for code that is neither
// generated nor a test.
const (
	maxFileLines   = 400
	maxFuncLines   = 60
	maxReadmeLines = 200
)

// layers lists, bottom up, the package trees of each layer. A package may
// import its own tree and the layers below; not a neighbour, not a layer above.
// Trees that do not exist yet have their place already.
func layers() [][]string {
	return [][]string{
		{"."},
		{"internal/top", "internal/termtext", "internal/secret"},
		{"internal/index/vector"},
		{
			"internal/rank", "internal/index/bm25", "internal/index/graph",
			"internal/store/driver", "internal/formats", "internal/project", "internal/config",
			"internal/embed", "internal/surprise", "internal/entity", "internal/when", "internal/contradict", "internal/cue", "internal/arch", "models",
		},
		{"internal/store"},
		{"internal/index", "internal/consolidate", "internal/codeindex"},
		{"internal/engine"},
		{"internal/wire"},
		{
			"internal/mcpserver", "internal/eval", "internal/restapi", "internal/web",
			"internal/hook", "internal/script", "internal/setup",
		},
		{"internal/app"},
		{"internal/cli"},
		{"cmd/hippo"},
	}
}

// private maps a package to the only one that may import it, tests excepted;
// an empty name means tests only.
func private() map[string]string {
	return map[string]string{
		"internal/store/drivertest":  "",
		"internal/store/memstore":    "internal/app",
		"internal/store/sqlitestore": "internal/app",
		"internal/store/dirstore":    "internal/app",
		"internal/store/pgstore":     "internal/app",
		"internal/embed/static":      "internal/app",
		"internal/embed/bert":        "internal/app",
		"internal/embed/openai":      "internal/app",
	}
}

// heavy maps a module from outside, or a package of the standard library, to
// the only tree that may import it, tests excepted.
func heavy() map[string]string {
	const suite = "internal/store/drivertest"
	return map[string]string{
		"modernc.org/sqlite":                         "internal/store/sqlitex",
		"github.com/fsnotify/fsnotify":               "internal/store/dirstore",
		"github.com/clipperhouse/uax29/v2/words":     "internal/index/bm25",
		"github.com/clipperhouse/uax29/v2/graphemes": "internal/embed/token",
		"github.com/kljensen/snowball":               "internal/index/bm25",
		"github.com/blevesearch/snowballstem":        "internal/index/bm25",
		"github.com/modelcontextprotocol/go-sdk":     "internal/mcpserver",
		"github.com/google/jsonschema-go":            "internal/mcpserver",
		"github.com/spf13/cobra":                     "internal/cli",
		"github.com/spf13/pflag":                     "internal/cli",
		"github.com/schollz/progressbar":             "internal/cli",
		"github.com/google/go-cmp":                   suite,
		"pgregory.net/rapid":                         suite,
		"go.uber.org/goleak":                         suite,
		"testing":                                    suite,
	}
}
