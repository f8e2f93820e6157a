package api

import "time"

// CodeHit is a piece of code, such as a function, that answers a question.
type CodeHit struct {
	// Root is the folder of the source tree, and Path the file in it, with slashes.
	Root string `json:"root"`
	Path string `json:"path"`
	// First and Last are its lines, from 1.
	First     int       `json:"first_line"`
	Last      int       `json:"last_line"`
	Freshness Freshness `json:"stale,omitempty"`
	// Name is the qualified name of the definition; empty for what lies between definitions.
	Name string `json:"name,omitempty"`
	// Language is that of the file, Kind that of the definition, such as "func".
	Kind      string `json:"kind"`
	Language  string `json:"language"`
	Signature string `json:"signature,omitempty"`
	// Relevance is in [0, 1].
	Relevance float64 `json:"relevance"`
	// Text is empty unless Freshness is [CodeFresh].
	Text string `json:"text,omitempty"`
}

// Freshness says whether a file is still what was indexed. Its text can be shown to people.
type Freshness string

// The values of [Freshness].
const (
	CodeFresh   Freshness = ""
	CodeChanged Freshness = "changed since it was indexed"
	CodeMissing Freshness = "gone since it was indexed"
)

// CodeAnswer are the hits of a search of code, best first.
type CodeAnswer struct {
	Hits []CodeHit `json:"hits"`
	// Total counts the chunks that match, Weak says why they may not answer the query; empty: they may.
	Total int    `json:"total"`
	Weak  string `json:"weak,omitempty"`
	// Notes say what the answer lacks: an index that is behind, or being made.
	Notes []string `json:"notes,omitempty"`
	// Confidence is the probability that the hits answer the query, as in [hippo.Answer].
	Confidence float64 `json:"-"`
	// Several: the hits are of several trees, which Notes name.
	Several bool `json:"-"`
}

// CodeSymbol is a definition.
type CodeSymbol struct {
	Root      string    `json:"root"`
	Path      string    `json:"path"`
	First     int       `json:"first_line"`
	Last      int       `json:"last_line"`
	Freshness Freshness `json:"stale,omitempty"`
	// Key identifies the definition within its file, and Name is qualified.
	Key       string `json:"key"`
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Language  string `json:"language"`
	Signature string `json:"signature,omitempty"`
	// Doc is its comment, Text the whole definition; empty unless they were asked for and are fresh.
	Doc  string `json:"doc,omitempty"`
	Text string `json:"text,omitempty"`
}

// CodeEdge is a reference from one definition to another.
type CodeEdge struct {
	CodeSymbol
	// Line is where the reference is; Use is how it uses the name.
	Line int    `json:"line"`
	Use  string `json:"use"`
	// Candidates is how many definitions the reference may mean; 1: it is sure, as far as names tell.
	Candidates int `json:"candidates"`
	// Sure: a scope, an import or a type written nearby confirms the reference, not the name alone.
	Sure bool `json:"sure"`
}

// CodeEdges are the callers or callees of a definition.
type CodeEdges struct {
	// Of are the definitions that the name means. The edges are those of all.
	Of    []CodeSymbol `json:"of"`
	Edges []CodeEdge   `json:"edges"`
	// Outside are names that are called and defined outside of the tree, or nowhere.
	Outside []string `json:"outside,omitempty"`
	// More counts the edges that were left out, MoreOf the definitions of the name.
	More   int `json:"more,omitempty"`
	MoreOf int `json:"more_of,omitempty"`
}

// CodeMap shows the definitions of a tree that others refer to most, in as many files as fit.
type CodeMap struct {
	Root  string        `json:"root"`
	Files []CodeMapFile `json:"files"`
	// Tokens is the estimated size of Text; More counts the files that did not fit.
	Tokens int `json:"tokens"`
	More   int `json:"more,omitempty"`
	// Text is the map as the budget counts it: a line for each file, and below it one for each definition.
	Text string `json:"-"`
}

// CodeMapFile is a file of a [CodeMap].
type CodeMapFile struct {
	Path string `json:"path"`
	// References counts those to the definitions of the file.
	References int          `json:"references"`
	Symbols    []CodeSymbol `json:"symbols"`
	Freshness  Freshness    `json:"stale,omitempty"`
}

// CodeRelated is what is related to the definitions of a name, or to a file.
type CodeRelated struct {
	// File is the file that was asked about; empty: a name was.
	File string `json:"file,omitempty"`
	// Of are the definitions that the name means, MoreOf counts those that were left out. Of a file there are none.
	Of     []CodeSymbol       `json:"of,omitempty"`
	MoreOf int                `json:"more_of,omitempty"`
	Groups []CodeRelatedGroup `json:"related"`
}

// CodeRelatedGroup are the definitions of one relation, best first; More counts those that were left out.
type CodeRelatedGroup struct {
	// Relation is "used by", "uses", "used with", "beside" or "similar".
	Relation string       `json:"relation"`
	Symbols  []CodeSymbol `json:"symbols"`
	More     int          `json:"more,omitempty"`
}

// CodeRef names one definition of a tree: its file, relative to the root, and its key in it. Without a key it is what a file
// does outside of its definitions.
type CodeRef struct{ Path, Key string }

// CodeWalk asks for what is connected with definitions, step by step.
type CodeWalk struct {
	// Start is where the walk begins. Without a path its key is a name, and the walk begins at all that it means.
	Start CodeRef
	// Depth is the number of steps, from 1 to [MaxCodeWalk].
	Depth int
	// In follows references to a definition, Out those that it makes.
	In, Out bool
	// Calls follows calls only; else all references, and what a definition holds.
	Calls bool
}

// MaxCodeWalk is the largest [CodeWalk.Depth].
const MaxCodeWalk = 5

// CodeWalked is what a walk found.
type CodeWalked struct {
	// Of are the definitions that it began at. Found are the others, the nearest first.
	Of, Found []CodeSymbol
	Links     []CodeReference
	// Left counts the definitions that the bounds left out.
	Left int
	// Frontier are the definitions of the last step, whose own links were not followed.
	Frontier []CodeRef
}

// CodeReference is a reference from one definition to another, or that one holds the other.
type CodeReference struct {
	From, To CodeRef
	Use      string
	// Path and Line are where the reference is.
	Path string
	Line int
	// Candidates is how many definitions the reference may mean; 1: it is sure, as far as names tell.
	Candidates int
}

// CodeLink is code that a text speaks of: a path, a qualified name, or an identifier that is no word.
type CodeLink struct {
	Root string
	// Text is what the text writes.
	Text string
	// Of are the definitions that it means; of a path one without a name. Empty: they are gone.
	Of    []CodeSymbol
	State CodeLinkState
	// Since is when the code was first seen for this text; zero: now.
	Since time.Time
}

// CodeLinkState says what became of the code since it was first seen for a text.
type CodeLinkState string

// The values of [CodeLinkState].
const (
	LinkSame    CodeLinkState = ""
	LinkChanged CodeLinkState = "changed since"
	LinkGone    CodeLinkState = "gone since"
	// LinkUnknown: the file changed after it was indexed. The next update finds out what became of the code.
	LinkUnknown CodeLinkState = "changed since it was indexed"
)

// CodeTotals are the numbers of what a code index holds.
type CodeTotals struct {
	Files   int `json:"files"`
	Chunks  int `json:"chunks"`
	Symbols int `json:"symbols"`
}

// CodeReport is what an update of a code index did.
type CodeReport struct {
	Root    string `json:"root"`
	Project string `json:"project,omitempty"`
	// Parsed, Removed and Unchanged count files.
	Parsed    int `json:"parsed"`
	Removed   int `json:"removed"`
	Unchanged int `json:"unchanged"`
	CodeTotals
	// Bytes is the size of the parsed files, Errors the places in them that grammars do not accept.
	Bytes  int64 `json:"bytes"`
	Errors int   `json:"syntax_errors"`
	// MS is how long it took, in milliseconds.
	MS    int64      `json:"ms"`
	Skips []CodeSkip `json:"skipped"`
}

// CodeSkip is a file or a folder that an index leaves out.
type CodeSkip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Detail says more where the reason does not.
	Detail string `json:"detail,omitempty"`
}

// CodeStatus is the state of the index of a source tree.
type CodeStatus struct {
	Root, Project string
	// Problem says why the index does not answer, or that it is damaged; empty: it answers.
	Problem string
	CodeTotals
	// Languages counts files.
	Languages map[string]int
	Updated   time.Time
	// Bytes is the size of the index on the disk; Skipped how many files and folders the last update left out.
	Bytes   int64
	Skipped int
	CodeVectors
	CodeUpdate
}

// CodeVectors is the state of the vectors of a code index.
type CodeVectors struct {
	// Embedded counts the chunks that have a vector by the table, which all have once they are indexed.
	Embedded int
	// Encoded counts the chunks that have one by the encoder, Encodable those that shall; both are 0 if the tree is too large, or
	// there is no encoder.
	Encoded, Encodable int
	// Running: a process makes those by the encoder now. Left is how long that will still take, or would; 0: not known.
	Running bool
	Left    time.Duration
}

// CodeUpdate is what is known of the update of a code index that runs, or of the last one.
type CodeUpdate struct {
	// Progress is how far an update of this process is; nil: none runs. Elsewhere: another process updates the index.
	Progress  *CodeProgress
	Elsewhere bool
	// Began is when the last update of this process began, zero: there was none. Failed says why it failed; empty: it did
	// not.
	Began  time.Time
	Failed string
}

// CodeProgress is how far an update is.
type CodeProgress struct {
	Phase CodePhase
	// Done and Total count bytes of files while parsing, and chunks while embedding; else they are 0.
	Done, Total int64
	// Left is how long the phase will still take, by how long it has taken; 0: not known.
	Left time.Duration
}

// CodePhase is a part of an update.
type CodePhase string

// The phases, in order. [CodeEmbedding] is that of the encoder, and no part of an update.
const (
	CodeWalking   CodePhase = "walking"
	CodeParsing   CodePhase = "parsing"
	CodeIndexing  CodePhase = "indexing"
	CodeEmbedding CodePhase = "embedding"
)
