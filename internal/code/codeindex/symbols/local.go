package symbols

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// prune leaves out the local variables that say nothing of any reference: neither is one qualified by them, nor do they
// give a value to one that is kept; and all of a file that has no types, unless a name is a variable before it is anything else.
func prune(f *syntax.File) {
	if !scoped(f.Language) && !slices.ContainsFunc(f.Locals, func(l syntax.Local) bool { return l.Type != "" || l.Value != "" }) {
		f.Locals = nil
		return
	}
	needed := map[string]bool{}
	need := func(expression string) {
		from := -1
		for i := 0; i <= len(expression); i++ {
			part := i < len(expression) && isNamePart(expression[i])
			switch {
			case part && from < 0:
				from = i
			case !part && from >= 0:
				if from == 0 || expression[from-1] != '.' {
					needed[expression[from:i]] = true
				}
				from = -1
			}
		}
	}
	for i := range f.References {
		need(f.References[i].Qualifier)
	}
	kept := f.Locals[:0:0]
	for _, l := range slices.Backward(f.Locals) {
		if needed[l.Name] {
			kept = append(kept, l)
			need(l.Type)
			need(l.Value)
		}
	}
	slices.Reverse(kept)
	f.Locals = kept
}

func isNamePart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// scoped reports whether a name of a language that no scope has is one of the system, so that it counts which names are variables.
func scoped(language string) bool {
	switch language {
	case "python", "javascript", "typescript", "tsx":
		return true
	}
	return false
}
