package api

import (
	"slices"

	"github.com/hippo-memory/hippo"
)

// List asks for memories by filters. Those that hold now come first, the newest of them at the top. It does not count as
// use. The answer is a [Listing].
type List struct {
	// Filter keeps some memories; its Projects are exact names.
	Filter hippo.Filter
	// Projects keeps memories of any of these projects, by names as a person writes them: see [Search.Projects].
	Projects []string
	// Situation keeps memories for any of these situations, and When those of a time in words, such as "last week".
	Situation []string
	When      string
	// Place keeps memories whose situations are paths, by their exact text.
	Place Place
	// Forgotten lists the forgotten memories instead.
	Forgotten bool
	// Insights leaves out entities and summaries of groups, unless the filter names types.
	Insights bool
	// Arrival keeps memories by the way they came into the store.
	Arrival
	// Offset is how many memories come before the page.
	Offset int
	// Count is the size of the page, at most [hippo.MaxCount]; 0 means [hippo.DefaultCount].
	Count int
}

// Place is where memories lie whose situations are paths. The zero value keeps all.
type Place struct {
	// At are whole elements and Below beginnings of elements: a memory lies there if it has one of them.
	At, Below []string
	// Root is the beginning of every path: memories without an element that begins with it are kept as well. Empty: they are
	// not.
	Root string
}

// All reports whether p keeps all memories.
func (p *Place) All() bool { return len(p.At) == 0 && len(p.Below) == 0 && p.Root == "" }

// Arrival keeps memories by the way they came into the store. The zero value keeps all.
type Arrival struct {
	// Source keeps what comes from this kind of source, client or file, in any case: "import", "csv", "notes.csv". A file is
	// named by its path or the last element of it.
	Source string
	// Import is the operation of an import, by its ID or a short form, and keeps what it brought: of all projects, unless
	// the filter names some.
	Import string
}

// Listing is one page of a list.
type Listing struct {
	Memories []*hippo.Memory
	// Total counts all pages.
	Total int
	// Day is the active day of the list.
	Day hippo.Day
	// Degraded says what the history lacks of a list of what was known at a time; nil otherwise.
	Degraded []string
}

// Get asks for memories by ID, forgotten ones included. It does not count as use. The answer is a [Got]. Unknown IDs are a
// [*hippo.UnknownError].
type Get struct {
	// IDs are 1 to [hippo.MaxIDs]; the answer has the same order.
	IDs []hippo.ID
	// At is the moment as of which they are read. A memory that does not hold then is [hippo.ErrNotFound], and the error
	// names what held instead, if that is known.
	At hippo.Moment
	// Some leaves out the memories that do not exist or do not hold then; otherwise they are errors.
	Some bool
	// Question asks for the parts of each memory that answer it; blank: none.
	Question string
}

// Got are memories as of a moment.
type Got struct {
	Memories []*hippo.Memory
	// Degraded says what the history lacks of these memories as they were known at a time, and which part of the question
	// does not count; nil otherwise.
	Degraded []string
	// Excerpts are the parts of each memory that answer [Get.Question], as [hippo.Hit.Excerpt]; nil without one, or if no
	// memory is long.
	Excerpts [][]hippo.Span
}

// Excerpt returns the parts of one memory; nil if it has none.
func (g *Got) Excerpt(id hippo.ID) []hippo.Span {
	i := slices.IndexFunc(g.Memories, func(m *hippo.Memory) bool { return m.ID == id })
	if i < 0 || i >= len(g.Excerpts) {
		return nil
	}
	return g.Excerpts[i]
}

// Resolve asks for the ID that a reference means. One that fits several memories is a [*hippo.AmbiguousError], one that fits
// none [hippo.ErrNotFound].
type Resolve struct {
	// Ref is an ID, or at least 4 characters of the end or the beginning of one, such as [hippo.ID.Short], or of the
	// beginning of a content hash.
	Ref string
	// Prefer says which memories it means if it fits live and forgotten ones.
	Prefer Preference
	// Entities takes the name of a recorded entity as a reference as well.
	Entities bool
}

// Preference says which memories a reference means that fits live and forgotten ones.
type Preference int8

// The preferences.
const (
	// PreferLive, the default, takes forgotten ones only if the reference fits no live one.
	PreferLive Preference = iota
	// PreferForgotten is the other way round.
	PreferForgotten
	// PreferNone takes all of them, so that a reference that fits several is ambiguous: for what cannot be undone.
	PreferNone
)

// The limits of a text for a model, in estimated tokens. They bound [Context.MaxTokens], for example.
const (
	DefaultTokens = 700
	MinTokens     = 100 // room for the frame and a note
	MaxTokens     = 8000
)

// Work is the work in progress in a repository; the zero value: it is unknown.
type Work struct {
	// State describes it, such as the branch, the subjects of recent commits and the paths that changed. The first
	// [hippo.MaxQuery] bytes count.
	State string
	// Files are the paths that changed, from the root of the repository and with slashes, Names what these files define,
	// by full names. A memory that speaks of one of them fits the state wholly, whatever a search says.
	Files, Names []string
}
