package resolve

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A value is what an expression of a scoped language stands for. The zero value is not known; one that is known and has nothing is defined
// outside of the tree.
type value struct {
	known   bool
	symbols []int      // it is one of these definitions
	modules []imported // it is one of these modules
	objects []int      // it is an object of one of these types
	above   bool       // of what these types extend
	of      element    // what it holds
	via     string     // it is this member of what holds that
}

// An element is the type of what a value of the language holds, as it is written; empty: it holds nothing that is known.
type element struct {
	site site
	text string
}

// byScope resolves a reference of a scoped language. Not sure: what stands before the name is not known.
func byScope(r *Resolver, ref *syntax.Reference) (found []int, grade Grade, sure bool) {
	s := site{file: r.file, at: ref.At.From}
	if ref.In >= 0 && ref.In < len(r.syntax.Symbols) {
		s.holder = qualified(&r.syntax.Symbols[ref.In])
	}
	if r.inference == nil {
		r.inference = &inference{r.world, evaluatorOf(r), r.file, r.syntax.Symbols, make(map[int][]int), make(map[int]value)}
	}
	e := r.inference
	if ref.Qualifier == "" {
		found, _, grade := r.world.named(s, ref.Name)
		if len(found) > 0 {
			return found, grade, true
		}
		return nil, Unknown, r.world.files[r.file].Language == "python" || len(r.syntax.Imports) > 0
	}
	v := e.value(s, ref.Qualifier, 0)
	found, _, sure = e.member(v, ref.Name, 0)
	switch {
	case len(found) == 0:
		return nil, Unknown, sure
	case len(v.modules) > 0, len(r.world.bindingsOf(r.file).names[ref.Qualifier]) > 0:
		return found, Imported, true
	case ref.Qualifier == "self" || ref.Qualifier == "this" || ref.Qualifier == "cls":
		return found, Scope, true
	}
	return found, Typed, true
}

// inference finds the values of expressions of a scoped language, by what is written for variables, fields and functions and what they are given.
type inference struct {
	world     *World
	evaluator *evaluator // the variables of functions of a file
	file      int
	symbols   []syntax.Symbol // of the file
	lines     map[int][]int   // of types that were looked at
	values    map[int]value   // of variables, fields and results that were looked at
}

// value returns what an expression means at a site. It is one of [syntax.Local] or what stands before a name.
func (e *inference) value(s site, text string, depth int) value {
	text = strings.TrimSpace(text)
	if depth > maxDepth || text == "" {
		return value{}
	}
	if rest, ok := strings.CutPrefix(text, "await "); ok {
		return awaited(e, e.value(s, rest, depth+1), depth)
	}
	if rest, ok := strings.CutPrefix(text, "range "); ok {
		return elementOf(e, e.value(s, rest, depth+1), depth)
	}
	if rest, ok := strings.CutPrefix(text, "as "); ok {
		return e.typed(s, rest, depth+1)
	}
	v, rest := e.first(s, text, depth)
	for rest != "" && v.known {
		v, rest = e.rest(v, rest, depth)
	}
	return v
}

// first reads the first operand of an expression.
func (e *inference) first(s site, text string, depth int) (value, string) {
	switch text[0] {
	case '(':
		end := closing(text)
		inner := text[1:max(end-1, 1)]
		if i := strings.LastIndex(inner, " as "); i >= 0 {
			inner = "as " + inner[i+4:]
		}
		return e.value(s, inner, depth+1), text[end:]
	case '"', '\'', '`', '[', '{':
		return literal(s, text)
	}
	made, isNew := strings.CutPrefix(text, "new ")
	n := scriptName(made)
	if n == 0 {
		return value{}, ""
	}
	v := e.name(s, made[:n], depth)
	if !isNew {
		if made[:n] == "super" && strings.HasPrefix(made[n:], "()") {
			n += 2
		}
		return v, made[n:]
	}
	for n < len(made) && made[n] == '.' && v.known {
		m := scriptName(made[n+1:])
		v = e.selected(v, made[n+1:n+1+m], depth)
		n += 1 + m
	}
	if strings.HasPrefix(made[n:], "(") {
		n += closing(made[n:])
	}
	return e.made(v), made[n:]
}

// literal is a value of the language, whose elements are not known.
func literal(s site, text string) (value, string) {
	n := len(text)
	if c := text[0]; c == '[' || c == '{' {
		n = closing(text)
	} else if i := strings.IndexByte(text[1:], c); i >= 0 {
		n = i + 2
	}
	return value{known: true, of: element{s, unwritten}}, text[n:]
}

// scriptName returns the length of the name that a text begins with.
func scriptName(s string) int {
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '$' && c != '#' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return i
		}
	}
	return len(s)
}

// rest applies the first operation of a text to a value.
func (e *inference) rest(v value, text string, depth int) (value, string) {
	text = strings.TrimLeft(strings.TrimPrefix(text, "!"), " ")
	if text == "" {
		return v, ""
	}
	switch text[0] {
	case '?':
		return v, text[1:]
	case '.':
		n := scriptName(text[1:])
		if n == 0 {
			return v, text[1:]
		}
		return e.selected(v, text[1:1+n], depth), text[1+n:]
	case '(':
		return e.called(v, depth), text[closing(text):]
	case '[':
		return elementOf(e, v, depth), text[closing(text):]
	case '<':
		if i := strings.IndexByte(text, '('); i > 0 {
			return v, text[i:]
		}
	}
	return value{}, ""
}

// name returns what a name alone means.
func (e *inference) name(s site, name string, depth int) value {
	switch name {
	case "self", "this", "cls", "super":
		if class := classOf(e.world, s); class != nil {
			return value{known: true, objects: class, above: name == "super"}
		}
		if name == "this" || name == "super" {
			return value{}
		}
	}
	if s.file == e.file && s.at >= 0 {
		if i := e.evaluator.locals.at(name, s.at); i >= 0 {
			return e.variable(s, i, depth)
		}
	}
	found, modules, _ := e.world.named(s, name)
	switch {
	case len(found)+len(modules) > 0:
		return value{known: true, symbols: found, modules: modules}
	}
	if of := e.world.bindingsOf(s.file).names[name]; len(of) > 0 {
		return value{known: !slices.ContainsFunc(of, func(t imported) bool { return len(t.files) > 0 })}
	}
	return value{known: s.at >= 0 || e.world.files[s.file].Language != "python", of: element{s, unwritten}}
}

// unwritten is a type that is not written anywhere.
const unwritten = "?"

// variable returns the value of a variable of a function.
func (e *inference) variable(s site, i, depth int) value {
	l := &e.evaluator.locals.list[i]
	s.at = l.From - 1
	if l.Type != "" {
		return e.typed(s, l.Type, depth+1)
	}
	return e.value(s, l.Value, depth+1)
}

// selected returns what a member of a value means.
func (e *inference) selected(v value, name string, depth int) value {
	found, modules, sure := e.member(v, name, depth)
	if len(found)+len(modules) == 0 {
		return value{known: sure, of: stored(e, v, depth).of, via: name}
	}
	return value{known: true, symbols: found, modules: modules}
}

// member returns the definitions or modules that a member of a value means. sure: there are no others.
func (e *inference) member(v value, name string, depth int) (found []int, modules []imported, sure bool) {
	if !v.known || depth > maxDepth {
		return nil, nil, false
	}
	for _, m := range v.modules {
		more, inner := e.world.exported(m, name, nil)
		found, modules = append(found, more...), append(modules, inner...)
	}
	sure = true
	for _, i := range v.objects {
		more, all := e.inherited(i, name, v.above, depth)
		found, sure = append(found, more...), sure && all
	}
	for _, i := range v.symbols {
		more, all := memberOfSymbol(e, i, name, depth)
		found, sure = append(found, more...), sure && all
	}
	slices.Sort(found)
	return slices.Compact(found), modules, sure || len(found) > 0
}

// memberOfSymbol returns a member of what a definition is.
func memberOfSymbol(e *inference, i int, name string, depth int) ([]int, bool) {
	s := &e.world.symbols[i]
	if isClass(s.Kind) || s.Kind == syntax.Module || s.Kind == syntax.Type {
		return e.inherited(i, name, false, depth)
	}
	if own := e.world.find([]int{s.File}, s.Qualified, name); len(own) > 0 && s.Kind != syntax.Function && s.Kind != syntax.Method {
		return own, true // the functions of an object
	}
	found, _, sure := e.member(e.object(i, depth+1), name, depth+1)
	return found, sure
}

// inherited returns the definitions of a member of a type, or of what it extends.
func (e *inference) inherited(i int, name string, above bool, depth int) ([]int, bool) {
	sure := true
	for _, t := range e.line(i, depth) {
		if t < 0 {
			sure = false
			continue
		}
		s := &e.world.symbols[t]
		if t == i && above {
			continue
		}
		if own := e.world.find([]int{s.File}, s.Qualified, name); len(own) > 0 {
			return own, true
		}
	}
	return nil, sure && e.world.files[e.world.symbols[i].File].Language != "python"
}

// line returns a type and those that it extends, in the order in which members are looked for; below 0: one that is not known.
func (e *inference) line(i, depth int) []int {
	if _, ok := e.lines[i]; !ok {
		e.lines[i] = []int{i, -1} // while it is looked for
		e.lines[i] = lineOf(e, i, depth)
	}
	return e.lines[i]
}

func lineOf(e *inference, i, depth int) []int {
	list := []int{i}
	s := &e.world.symbols[i]
	bases := s.Bases
	if s.Kind == syntax.Type {
		bases = []string{right(s.Signature)}
		if strings.HasPrefix(bases[0], "{") {
			return list
		}
	}
	for _, b := range bases {
		v := e.typed(site{s.File, parentOf(s.Qualified), -1}, b, depth+1)
		if !v.known {
			list = append(list, -1)
		}
		for _, o := range v.objects {
			for _, t := range e.line(o, depth+1) {
				if k := slices.Index(list, t); k > 0 && t >= 0 { // it comes behind all that extend it
					list = slices.Delete(list, k, k+1)
				}
				if t != i {
					list = append(list, t)
				}
			}
		}
	}
	return list
}
