package symbols

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// bashLanguage reads shell scripts. What a function sets is global unless it says local.
func bashLanguage() *language {
	return &language{
		grammar: "bash",
		tokens:  []string{"local"},
		builtin: strings.Fields(`echo printf cd set shift exit return export readonly local test true false eval exec trap read unset source . [ [[ if then
			else fi for do done while case esac kill wait sleep cat grep sed awk rm cp mv mkdir ls`),
		handlers: map[string]handler{
			"comment":             remark,
			"function_definition": callable,
			"command":             bashCommand,
			"command_name":        bashCalled,
			"declaration_command": bashLocal,
			"variable_assignment": bashAssignment,
			"for_statement":       bashLoop,
			"variable_name":       bashVariable,
		},
	}
}

func bashCommand(x *extractor, n int) {
	c := x.child(n, "name")
	if t := x.text(c); t != "source" && t != "." {
		return
	}
	if a := x.child(n, "argument"); a >= 0 {
		x.file.Imports = append(x.file.Imports, syntax.Import{Path: strings.Trim(x.text(a), `"'`), Name: "*", At: x.at(n)})
	}
	take(x, c)
}

func bashCalled(x *extractor, n int) {
	if n+1 < int(x.nodes[n].Next) && x.kind(n+1) == "word" && x.roles[n] != taken {
		x.mark(n+1, called)
		name(x, n+1)
	}
}

// bashLocal binds the names after local in a function.
func bashLocal(x *extractor, n int) {
	if childOf(x, n, "local") < 0 && !strings.HasPrefix(x.text(n), "declare") {
		return
	}
	x.children(n, func(c int) bool {
		switch x.kind(c) {
		case "variable_name":
			x.bind(c, n)
		case "variable_assignment":
			x.bind(x.child(c, "name"), n)
		}
		return true
	})
}

// bashAssignment defines what is assigned outside of functions.
func bashAssignment(x *extractor, n int) {
	c := x.child(n, "name")
	if c < 0 || x.kind(c) != "variable_name" || x.roles[c] == taken {
		return
	}
	if x.inFunction() {
		x.bind(c, n)
		return
	}
	x.define(definition{kind: syntax.Variable, name: c, whole: n, body: -1})
}

func bashLoop(x *extractor, n int) { x.bind(x.child(n, "variable"), n) }

// bashVariable takes what is expanded for a reference, but for the arguments of the script.
func bashVariable(x *extractor, n int) {
	if c := x.src[x.nodes[n].Start]; c < '0' || c > '9' {
		name(x, n)
	}
}
