// Package syntax is what the code index knows of one source file: what it
// defines, what it refers to and what it imports. Parsers of languages make
// these values, chunking and resolution of names read them. It holds no text
// beyond names and signatures: places are byte offsets into the file.
package syntax

// A Range is a part of a file: the bytes From to Until, half-open, and the
// lines First to Last, from 1, both included.
type Range struct {
	From, Until int
	First, Last int
}

// A Kind is what a symbol is.
type Kind string

// The kinds of symbols. A language maps its own terms to these: a trait of
// Rust is an interface, an impl a class without a name of its own.
const (
	Module    Kind = "module"
	Class     Kind = "class"
	Struct    Kind = "struct"
	Interface Kind = "interface"
	Enum      Kind = "enum"
	Type      Kind = "type"
	Function  Kind = "function"
	Method    Kind = "method"
	Field     Kind = "field"
	Constant  Kind = "constant"
	Variable  Kind = "variable"
	Section   Kind = "section" // of a document: a heading, a key of a configuration
)

// A Symbol is one definition.
type Symbol struct {
	Name      string // as the file writes it
	Qualified string // with what holds it, joined by ".", without the package: "Server.Close"
	Kind      Kind
	Signature string // the declaration without its body, on one line
	Doc       Range  // its comment or docstring; empty: none
	Range     Range  // the whole definition, its comment excluded
	NameAt    Range  // its name
	Parent    int    // index of the symbol that holds it; -1: the file
	// Bases are the types that it extends, embeds or implements, as written: it has what they have.
	Bases []string
}

// A Use is how a reference uses what it names.
type Use string

// The uses of names.
const (
	Call       Use = "call"
	Read       Use = "read" // of a value, or any use that is none of the others
	TypeOf     Use = "type" // in the place of a type
	Extends    Use = "extends"
	Implements Use = "implements"
)

// A Reference is one place that names something defined elsewhere, or in
// another part of the file.
type Reference struct {
	Name      string // the last part of what is written: Close of s.conn.Close
	Qualifier string // what stands before it: "s.conn"; empty: nothing
	Use       Use
	At        Range // the name
	In        int   // index of the innermost symbol that holds it; -1: the file
}

// An Import is one thing that a file takes from elsewhere.
type Import struct {
	Path  string // as written, without quotes: "net/http", "./util", "os.path"
	Name  string // what of it; empty: the whole
	Alias string // how the file calls it; empty: by Name, or the last part of Path
	At    Range
}

// A Local is a variable of a function that references are qualified by, and where its type comes from.
type Local struct {
	Name string
	// Type is as written; empty: that of Value, an expression without the arguments of its calls: "open().rows[]". Both
	// empty: nothing says it. "range x" is what a loop over x gives.
	Type, Value string
	Part        int // which of several values, from 0
	From, Until int // the bytes of the file in which it is this variable; of several, the last one counts
}

// A File is what a parser found in one file.
type File struct {
	Language   string // "go", "python", "tsx", "markdown"
	Package    string // what the file says of its package or namespace; empty: nothing
	Symbols    []Symbol
	References []Reference
	Imports    []Import
	Locals     []Local
	Errors     int  // places that the grammar does not accept; what is around them is there
	Partial    bool // cut by a limit of time, memory or depth
}
