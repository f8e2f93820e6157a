package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever the engine and its verbs export on memories is carried out where the store is open: it calls Perform, or here if it
// cannot travel. The exceptions use nothing of the store.
func TestRemote_CarriesEveryVerb(t *testing.T) {
	t.Parallel()
	nothing := []string{
		"Perform", "Identified", "Operation", "Indexed", // carry out verbs
		"In", "IsRemote", "Importance", "Zone", "Close", "New", "AllowSecrets", "As", "Because", "Observed",
		"Transfer.AllowSecrets", "Transfer.AllowSecretsOf", "Transfer.Again", "Transfer.At", "Transfer.CountKept", "Transfer.Logged", "Transfer.Preview", "Transfer.Visit",
		"Transfer.Import",                                                     // sends its batches by functions that perform
		"Confirm", "InProject", "ListAny", "NameProject", "Narrow", "Waiting", // are made of verbs that travel
		"Score",  // wires the process that has the store open
		"Settle", // the process that has the store open embeds; others have nothing to embed
		"Warm",   // the process that has the store open does it by itself
		"CallerOf", "ProjectTitles", "KnownProjects", "SpelledProject",
		"Stage",      // likewise: it refuses elsewhere, and a program runs there
		"Figures",    // are of the process that has the store open
		"Namespaces", // likewise, and refuses elsewhere
		// Are steps of verbs, which run where the store is open.
		"BroughtBy", "ForgetHere", "GetHere", "ResolveHere", "Ambiguous", "SuccessionsOf", "GiveBack", "ReleasedBy", "Lookup", "KeysAmong",
		"KeysOf", "ProjectsIn", "Unassigned", "Recorded", "PrepareRecord", "RecordHere", "CardsOf", "FactsFor", "WithNames", "GotAt", "Weighed",
		"Reader", "Applied", "AppliedTo", "Update", "InPast", "PastOf", "IsPast",
		"Embed",    // uses the process that has the store open, or here
		"CallVerb", // is for verbs of the packages above, and calls them where the store is
	}
	performed, served := map[string]bool{}, map[string]bool{}
	for _, f := range functions(t) {
		calls := callsOf(f)
		for callee, args := range calls {
			switch callee {
			case "Perform":
				for i := 4; i < len(args); i += 5 {
					performed[args[i]] = true
				}
			case "VerbOf":
				for _, a := range args {
					served[a] = true
				}
			}
		}
		travels := calls["Perform"] != nil || calls["here"] != nil || calls["streamed"] != nil
		if name := nameIn(f); f.Name.IsExported() && takesMemories(f) && !travels && !slices.Contains(nothing, name) {
			t.Errorf("%s reads the store of this process, which has none open if another one answers: let it call Perform, or here", name)
		}
	}
	for name := range performed {
		if !served[name] {
			t.Errorf("%s is not in the table of verbs", name)
		}
	}
	for name := range served {
		if !performed[name] {
			t.Errorf("the table of verbs has %s, which nobody performs", name)
		}
	}
}

// verbPackages are the packages of verbs.
func verbPackages() []string {
	return []string{"memory", "knowledge", "history", "transfer", "upkeep", "query"}
}

// functions returns the functions of the engine and of its verbs.
func functions(t *testing.T) (list []*ast.FuncDecl) {
	t.Helper()
	var names []string
	for _, dir := range append(verbPackages(), ".") {
		found, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// callsOf returns the functions that f calls, with their arguments that are names, others
// being empty; those of several calls of one are joined.
func callsOf(f *ast.FuncDecl) map[string][]string {
	calls := make(map[string][]string)
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if callee := identifier(c.Fun); callee != "" {
			for _, a := range c.Args {
				calls[callee] = append(calls[callee], identifier(a))
			}
		}
		return true
	})
	return calls
}

// takesMemories reports whether a receiver or parameter is an engine or the memories of a caller.
func takesMemories(f *ast.FuncDecl) bool {
	var fields []*ast.Field
	if f.Recv != nil {
		fields = append(fields, f.Recv.List...)
	}
	fields = append(fields, f.Type.Params.List...)
	return slices.ContainsFunc(fields, func(x *ast.Field) bool {
		return slices.Contains([]string{"Engine", "Memories", "Relations", "Transfer"}, identifier(x.Type))
	})
}

// nameIn returns the name of a function as [TestRemote_CarriesEveryVerb] has it.
func nameIn(f *ast.FuncDecl) string {
	if f.Recv != nil && identifier(f.Recv.List[0].Type) == "Transfer" {
		return "Transfer." + f.Name.Name
	}
	return f.Name.Name
}

// identifier returns a name without its package, also that of a pointer; empty for what is none.
func identifier(x ast.Expr) string {
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr: // engine.Memories
		return x.Sel.Name
	case *ast.IndexExpr: // Perform[In]
		return identifier(x.X)
	default:
		return ""
	}
}
