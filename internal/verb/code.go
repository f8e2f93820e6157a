package verb

import (
	"fmt"

	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// Code limits a question about code.
type Code struct{ code.Asked }

// Args are the arguments that fill a Code, but for its root, which front ends have in forms of their own.
func (c *Code) Args() []Arg {
	return []Arg{
		{Name: "path", About: "only this file or folder", To: &c.Path},
		{Name: "language", About: "only this language, such as go or python", To: &c.Language},
		{Name: "kind", About: "only this kind: function, method, class, struct, interface, type, constant, variable, section", To: &c.Kind},
		c.CountArg(codeindex.DefaultCount, "the number of results"),
	}
}

// CountArg is the argument for the number of results of some kind.
func (c *Code) CountArg(usual int, about string) Arg {
	return Arg{
		Name: "limit", As: map[Door]string{Shell: "count"}, Also: "top_k k n_results num_results max_results", About: fmt.Sprintf("%s, at most %d", about, codeindex.MaxCount),
		Rules: Schema{"minimum": 1, "maximum": codeindex.MaxCount, "default": usual}, To: &c.Count,
	}
}

// CodeSymbols asks for the definitions of a name.
type CodeSymbols struct {
	Code
	Brief bool
}

// Args are the arguments that fill a CodeSymbols.
func (c *CodeSymbols) Args() []Arg {
	return append(c.Code.Args(), Arg{Name: "brief", About: "signatures only", To: &c.Brief})
}

// CodeEdges asks what calls a definition, or what it calls.
type CodeEdges struct {
	Code
	References bool
}

// Args are the arguments that fill a CodeEdges.
func (c *CodeEdges) Args() []Arg {
	return append(c.Code.Args(), Arg{Name: "references", About: "include all references, not only calls", To: &c.References})
}

// CodeRelated asks what is related to a definition or a file.
type CodeRelated struct{ Code }

// Args are the arguments that fill a CodeRelated.
func (c *CodeRelated) Args() []Arg {
	args := c.Code.Args()
	args[len(args)-1] = c.CountArg(codeindex.DefaultRelated, "the number of results of each relation")
	return args
}

// CodeMap asks for the most referenced definitions.
type CodeMap struct {
	Code
	Tokens int
}

// Args are the arguments that fill a CodeMap.
func (c *CodeMap) Args() []Arg {
	return append(c.Code.Args()[:1], Arg{
		Name: "tokens", About: fmt.Sprintf("the size of the map in estimated tokens: %d to %d", codeindex.MinMapTokens, codeindex.MaxMapTokens),
		Rules: Schema{"minimum": codeindex.MinMapTokens, "maximum": codeindex.MaxMapTokens, "default": codeindex.DefaultMapTokens}, To: &c.Tokens,
	})
}
