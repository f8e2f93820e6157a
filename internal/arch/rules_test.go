package arch_test

// module is the path of this module, root its directory seen from this one.
const (
	module = "github.com/hippo-memory/hippo"
	root   = "../.."
)

// Limits of size. Those of code hold for what is neither generated nor a test.
const (
	maxFileLines   = 400
	maxFuncLines   = 60
	maxFields      = 12 // of a struct
	maxMethods     = 15 // of a type
	maxReadmeLines = 200
)

// maxUp is the largest share of the uses between the files of a package that may go up
// the order of its files.
const maxUp = 0.05

// layers lists, bottom up, the package trees of each layer. A package may
// import its own tree and the layers below; not a neighbour, not a layer above.
// Trees that do not exist yet have their place already.
func layers() [][]string {
	return [][]string{
		{"."},
		{"api"},
		{"internal/retrieval/lang/lexicon", "internal/retrieval/lang/detect", "internal/retrieval/lang/sound", "internal/base/userdir"},
		{"internal/base/top", "internal/base/ondemand", "internal/base/tokencount", "internal/base/typo", "internal/retrieval/preview", "internal/base/batching", "internal/base/termtext", "internal/base/secret", "internal/base/atomicfile", "internal/retrieval/lang/cue", "internal/retrieval/lang/prose", "internal/agents/transcript", "internal/agents/cited"},
		{"internal/retrieval/index/vector", "internal/base/endpoint", "internal/base/bucket", "internal/sync"},
		{
			"internal/retrieval/rank", "internal/retrieval/index/bm25", "internal/base/lockedfile", "internal/store/driver", "internal/importer/formats", "internal/code/project", "internal/config",
			"internal/retrieval/embed", "internal/retrieval/passage", "internal/engine/briefing", "internal/base/power", "internal/retrieval/surprise", "internal/retrieval/graph", "internal/retrieval/lang", "internal/base/screen", "internal/agents/capture", "internal/rpc/share", "internal/serve/token", "internal/serve/login", "internal/arch", "models",
		},
		{"internal/retrieval/retrieve", "internal/store/groupcommit", "internal/store/filelease", "internal/retrieval/label", "internal/retrieval/excerpt"},
		{"internal/retrieval/recall", "internal/store/sqlitex"},
		{"internal/retrieval/recall/hybrid", "internal/store", "internal/importer/peers"},
		{"internal/retrieval/index", "internal/engine/consolidate", "internal/exchange"},
		{"internal/retrieval/embedding", "internal/code/codeindex"},
		{"internal/engine/entities", "internal/engine/writebehind", "internal/code"},
		{"internal/engine"},
		{"internal/engine/memory", "internal/engine/enginetest", "internal/tenants"},
		{"internal/engine/knowledge", "internal/engine/history", "internal/engine/upkeep"},
		{"internal/engine/transfer", "internal/engine/query"},
		{"internal/engine/sources", "internal/rpc"},
		{"internal/agents/ingest", "internal/importer"},
		{"internal/verb"},
		{"internal/doors/wire"},
		{"internal/doors/script", "internal/serve/httpd"},
		{
			"internal/doors/mcpserver", "internal/retrieval/eval", "internal/doors/restapi", "internal/doors/shodh", "internal/doors/web", "internal/serve/telemetry", "internal/serve/oauth", "internal/rpc/remote",
			"internal/agents/hook", "internal/agents/setup", "internal/agents/syncfile",
		},
		{"internal/app"},
		{"client", "internal/agents"},
		{"internal/serve/server"},
		{"internal/doors/cli"},
		{"cmd/hippo"},
	}
}

// tables are the structs that may have any number of fields, each with the reason: what a caller may ask for is a list, and to cut it by its
// length would hide where it ends. Keep them few, and their fields flat.
func tables() map[string]string {
	return map[string]string{
		"hippo.Filter":         "what narrows a search, in the public API",
		"api.Change":           "what may change of a memory, in the public API",
		"api.Record":           "what may be recorded of a memory, in the public API",
		"client.Options":       "what a program may choose when it opens a store, in the public API",
		"internal/verb.Narrow": "the arguments that fill a Filter",
		"internal/verb.Record": "the arguments that fill a Memory",
		"internal/verb.Modify": "the arguments that fill a Modification",
	}
}

// surfaces are the types that may have any number of methods, each with the reason: a caller looks for a verb in one place.
func surfaces() map[string]string {
	return map[string]string{
		"client.Client":                 "the public API has a method for each verb",
		"internal/store/dirstore.Store": "it implements driver.Backend",
		"internal/store/memstore.Store": "as above",
	}
}

// refused maps a package to the trees that may not import it though they are above it.
func refused() map[string][]string {
	return map[string][]string{
		"internal/doors/mcpserver":         {"internal/doors/cli"},                                                    // a front end calls no other one
		"internal/doors/script":            {"internal/doors/cli"},                                                    // as above
		"internal/doors/wire":              {"internal/retrieval/eval", "internal/app", "client"},                     // only front ends have wire formats
		"internal/retrieval/index":         {"internal/retrieval/recall"},                                             // it searches through internal/retrieval/retrieve
		"internal/store":                   {"internal/retrieval/recall", "internal/retrieval/index"},                 // the driver has the types that the index follows
		"internal/retrieval/recall/hybrid": {"internal/doors/mcpserver", "internal/doors/cli", "internal/doors/wire"}, // an optional ranker, which the engine wires
	}
}

// behind are the trees that no front end may import: what it shows of them is in the answers of the verbs, in api, and in package code.
func behind() []string {
	return []string{
		"internal/retrieval/rank", "internal/retrieval/recall", "internal/retrieval/retrieve", "internal/retrieval/index", "internal/retrieval/embed",
		"internal/retrieval/embedding", "internal/retrieval/surprise", "internal/retrieval/graph", "internal/store", "internal/code/codeindex",
		"internal/engine/briefing", "internal/engine/consolidate", "internal/engine/entities", "internal/engine/writebehind",
	}
}

// shown maps the packages of these trees that a front end imports all the same to that front end, each with the reason.
func shown() map[string]string {
	return map[string]string{
		"internal/retrieval/index/bm25": "internal/doors/web", // it marks the words of a query, as the index reads them
	}
}

// widths maps a package to the number of packages of this module that it may import: it carries and renders, and what they do is theirs. The engine
// and its folders of verbs count as one.
func widths() map[string]int {
	return map[string]int{"internal/doors/cli": 15}
}

// private maps a package to those that may import it, separated by spaces, tests excepted;
// an empty name means tests only.
func private() map[string]string {
	return map[string]string{
		"internal/store/drivertest":          "",
		"internal/base/bucket/bucketfake":    "",
		"internal/engine/enginetest":         "",
		"internal/store/memstore":            "internal/app internal/engine/enginetest",
		"internal/store/overlay":             "internal/store",
		"internal/store/sqlitestore":         "internal/app internal/store/dirstore internal/store/sharedstore",
		"internal/store/dirstore":            "internal/app",
		"internal/store/sharedstore":         "internal/app",
		"internal/store/pgstore":             "internal/app",
		"internal/tenants":                   "internal/app",
		"internal/store/pgtest":              "",
		"internal/retrieval/index/snapshots": "internal/app",
		"internal/retrieval/embed/static":    "internal/app",
		"internal/retrieval/embed/bert":      "internal/app",
		"internal/retrieval/embed/cnn":       "internal/app",
		"internal/retrieval/embed/causal":    "internal/app",
		"internal/retrieval/embed/openai":    "internal/app",
	}
}

// heavy maps a module from outside, or a package of the standard library, to
// the only trees that may import it, separated by spaces, tests excepted.
func heavy() map[string]string {
	const suite = "internal/store/drivertest"
	return map[string]string{
		"modernc.org/sqlite":                           "internal/store/sqlitex",
		"github.com/jackc/pgx":                         "internal/store/pgstore internal/store/pgtest",
		"github.com/a-h/templ":                         "internal/doors/web",
		"github.com/tetratelabs/wazero":                "internal/code/codeindex/grammar",
		"github.com/therootcompany/xz":                 "internal/code/codeindex/grammar",
		"github.com/JohannesKaufmann/html-to-markdown": "internal/importer/peers",
		"github.com/ledongthuc/pdf":                    "internal/importer/peers",
		"go.yaml.in/yaml":                              "internal/importer/peers",
		"github.com/fsnotify/fsnotify":                 "internal/store/dirstore internal/code/codeindex/watch",
		"github.com/clipperhouse/uax29/v2/words":       "internal/retrieval/index/bm25",
		"github.com/clipperhouse/uax29/v2/graphemes":   "internal/retrieval/embed/token",
		"github.com/kljensen/snowball":                 "internal/retrieval/index/bm25",
		"github.com/blevesearch/snowballstem":          "internal/retrieval/index/bm25",
		"github.com/modelcontextprotocol/go-sdk":       "internal/doors/mcpserver",
		"github.com/google/jsonschema-go":              "internal/doors/mcpserver",
		"github.com/tailscale/hujson":                  "internal/agents/setup/splice",
		"github.com/spf13/cobra":                       "internal/doors/cli",
		"github.com/spf13/pflag":                       "internal/doors/cli",
		"github.com/schollz/progressbar":               "internal/doors/cli",
		"github.com/go-jose/go-jose":                   "internal/serve/oauth",
		"filippo.io/age":                               "internal/sync/shelf",
		"github.com/aws/smithy-go":                     "internal/base/bucket",
		"golang.org/x/crypto":                          "internal/serve/httpd",
		"go.starlark.net":                              "internal/doors/script",
		"github.com/google/go-cmp":                     suite,
		"pgregory.net/rapid":                           suite,
		"go.uber.org/goleak":                           suite,
		"testing":                                      suite + " internal/store/pgtest",
	}
}

// fileOrders maps the directories of packages to the order of their files.
func fileOrders() map[string]fileOrder {
	return map[string]fileOrder{
		"internal/retrieval/recall": {files: []string{
			"claim.go", "searcher.go", "question.go", "subject.go", "plan.go", "score.go", "pool.go", "prune.go", "scored.go", "page.go", "passages.go", "similar.go", "code.go", "tokens.go", "versions.go", "rerank.go",
			"associate.go", "relate.go", "demote.go", "feedback.go", "fold.go", "reserve.go", "settle.go", "successors.go", "explain.go", "judge.go", "missing.go", "graph.go", "surprise.go", "recall.go",
		}},
		"internal/retrieval/index": {
			files: []string{
				"doc.go", "sharing.go", "options.go", "map_unix.go", "mapping.go", "columns.go", "flat.go", "extent.go", "sample.go", "spelling.go", "vectors.go", "postings.go", "names.go",
				"folded.go", "segment.go", "tenants.go", "part.go", "lessons.go", "snapshot.go", "sender.go", "place.go", "said.go", "repeated.go", "filter.go", "elements.go", "scans.go", "reserve.go", "found.go", "vocabulary.go", "same.go", "dictionary.go", "expand.go", "compound.go", "terms.go", "situation.go", "file.go", "packed.go", "sections.go", "pending.go",
				"draft.go", "state.go", "saved.go", "upkeep.go", "elsewhere.go", "search.go", "remap.go", "write.go", "words.go", "guard.go", "sessions.go",
				"near.go", "matches.go", "fold.go", "wordcache.go", "analysis.go", "lists.go", "build.go", "reader.go", "graph.go", "lookup.go", "merge.go", "load.go", "fetch.go", "compact.go", "maintain.go", "send.go", "embedded.go", "neighbours.go", "codes.go",
				"stored.go", "apply.go", "follow.go", "access.go", "index.go", "fork.go", "searcher.go",
			},
			up: []string{
				"elements.go: minContext", "file.go: savedPart", "found.go: cachedScorer", "found.go: situationFilter", "found.go: queryTerms", "found.go: window",
				"remap.go: writer",
			},
		},
		"internal/engine": {files: []string{
			"relations.go", "call.go", "specs.go", "observe.go", "admission.go", "grouping.go", "engine.go", "remote.go", "score.go", "failure.go", "transaction.go", "timetravel.go", "metrics.go", "verb.go", "verbs.go",
		}},
	}
}

// privateWord is a word or phrase of our own for which the field has a standard term.
type privateWord struct {
	text string // lower case
	say  string
	// names: only in identifiers and JSON keys; elsewhere it is plain English.
	names bool
}

// privateWords lists the words that code and documents must not use. The standard terms
// are those of search engines and databases.
func privateWords() []privateWord {
	return []privateWord{
		{"anew", "again, or rebuilt", false},
		{"afresh", "again, or rebuilt", false},
		{"by its words", "lexically", false},
		{"by their words", "lexically", false},
		{"by its meaning", "semantically", false},
		{"get on", "make progress", false},
		{"by meaning", "semantic", false},
		{"by words", "lexical", false},
		{"closely", "reranked", false},
		{"dear", "expensive", false},
		{"dearer", "more expensive", false},
		{"slip of the pen", "typo", false},
		{"slips of the pen", "typos", false},
		{"evidence", "features", false},
		{"first look", "first stage", false},
		{"gets on", "progress, or status", false},
		{"heir", "successor", false},
		{"heirs", "successors", false},
		{"lends", "adds the pending counts", false},
		{"owed", "pending", false},
		{"owes", "pending", false},
		{"rarity", "inverse document frequency", false},
		{"second look", "reranking", false},
		{"see to it", "ensure", false},
		{"sees to it", "ensures", false},
		{"slips", "typos", false},
		{"so many", "the name of the limit", false},
		{"strange", "out of vocabulary", false},
		{"tells", "reports, or contains", false},
		{"told", "reported", false},
		{"aim", "filter", true},
		{"asking", "the query", true},
		{"fair", "tie-break", true},
		{"closer", "reranker", true},
		{"hear", "add the features of neighbours", true},
		{"lay", "apply the pending counts", true},
		{"lend", "add the pending counts", true},
		{"longer", "length offset", true},
		{"look", "stage", true},
		{"met", "coverage", true},
		{"owe", "add the pending counts", true},
		{"pay", "settle the pending counts", true},
		{"slip", "typo", true},
		{"standing", "score, or state", true},
		{"still", "immutable", true},
		{"stretch", "grow the stack", true},
	}
}
