package wire

import "github.com/hippo-memory/hippo/internal/code/codeindex"

// CodeEdges are the callers or callees of a definition as JSON.
type CodeEdges struct {
	Of    []CodeSymbol `json:"of"`
	Edges []CodeEdge   `json:"edges"`
	// Outside are names that are called and not defined in the tree; More counts the edges that were left out, MoreOf
	// the definitions of the name.
	Outside []string `json:"outside,omitempty"`
	More    int      `json:"more,omitempty"`
	MoreOf  int      `json:"more_of,omitempty"`
}

// CodeEdge is a reference as JSON. Line is that of the reference.
type CodeEdge struct {
	CodeSymbol
	Line       int    `json:"line"`
	Use        string `json:"use"`
	Candidates int    `json:"candidates"`
	Sure       bool   `json:"sure"`
}

// CodeEdgesOf returns callers or callees as JSON.
func CodeEdgesOf(e *codeindex.Edges) CodeEdges {
	out := CodeEdges{Of: CodeSymbolsOf(e.Of), Edges: make([]CodeEdge, len(e.Edges)), Outside: e.Outside, More: e.More, MoreOf: e.MoreOf}
	for i := range e.Edges {
		x := &e.Edges[i]
		out.Edges[i] = CodeEdge{CodeSymbolsOf([]codeindex.Definition{x.Definition})[0], x.Line, string(x.Use), x.Candidates, x.Sure}
	}
	return out
}

// CodeMap is a map of a tree as JSON.
type CodeMap struct {
	Root   string        `json:"root"`
	Files  []CodeMapFile `json:"files"`
	Tokens int           `json:"tokens"`
	More   int           `json:"more,omitempty"`
}

// CodeMapFile is a file of a map as JSON.
type CodeMapFile struct {
	Path       string       `json:"path"`
	References int          `json:"references"`
	Symbols    []CodeSymbol `json:"symbols"`
	Stale      string       `json:"stale,omitempty"`
}

// CodeMapOf returns a map as JSON.
func CodeMapOf(m *codeindex.Map) CodeMap {
	out := CodeMap{Root: m.Root, Files: make([]CodeMapFile, len(m.Files)), Tokens: m.Tokens, More: m.More}
	for i := range m.Files {
		f := &m.Files[i]
		out.Files[i] = CodeMapFile{f.Path, f.References, CodeSymbolsOf(f.Symbols), string(f.Freshness)}
	}
	return out
}

// CodeRelated is what is related to a definition or a file as JSON.
type CodeRelated struct {
	File   string             `json:"file,omitempty"`
	Of     []CodeSymbol       `json:"of,omitempty"`
	MoreOf int                `json:"more_of,omitempty"`
	Groups []CodeRelatedGroup `json:"related"`
}

// CodeRelatedGroup are the definitions of one relation as JSON.
type CodeRelatedGroup struct {
	Relation string       `json:"relation"`
	Symbols  []CodeSymbol `json:"symbols"`
	More     int          `json:"more,omitempty"`
}

// CodeRelatedOf returns what is related as JSON.
func CodeRelatedOf(r *codeindex.Related) CodeRelated {
	out := CodeRelated{File: r.File, Of: CodeSymbolsOf(r.Of), MoreOf: r.MoreOf, Groups: make([]CodeRelatedGroup, len(r.Groups))}
	for i := range r.Groups {
		g := &r.Groups[i]
		out.Groups[i] = CodeRelatedGroup{string(g.Relation), CodeSymbolsOf(g.Definitions), g.More}
	}
	return out
}
