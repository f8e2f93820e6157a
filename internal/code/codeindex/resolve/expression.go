package resolve

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// typ is a type as a file writes it; without text it is not known.
type typ struct {
	file int
	text string
}

// meaning is what an expression stands for. The zero value: it is not known.
type meaning struct {
	known    bool
	value    typ      // the type of the value that it is, or the type that it is
	isType   bool     // it is a type
	symbol   *Symbol  // the function that it is; nil: none
	files    []int    // of the package that it is; nil: none
	results  []string // the results of the call that it is, if there are several
	resultIn int      // the file of the results
}

// evaluator finds what the expressions of one file of Go mean, by the declarations of its tree.
type evaluator struct {
	world  *World
	file   int
	locals locals
	values map[int]meaning // of variables that were looked at
}

// locals are the variables of functions of a file.
type locals struct {
	list   []syntax.Local
	byName map[string][]int
}

func newEvaluator(w *World, file int, f *syntax.File) *evaluator {
	return &evaluator{world: w, file: file, locals: newLocals(f.Locals), values: make(map[int]meaning)}
}

func newLocals(list []syntax.Local) locals {
	l := locals{list, make(map[string][]int)}
	for i := range list {
		l.byName[list[i].Name] = append(l.byName[list[i].Name], i)
	}
	return l
}

// evaluatorOf returns the evaluator of a resolver.
func evaluatorOf(r *Resolver) *evaluator {
	if r.evaluator == nil {
		r.evaluator = newEvaluator(r.world, r.file, r.syntax)
	}
	return r.evaluator
}

// typeOf returns the type that is written for the variable that a name is at a byte; empty: none.
func (l *locals) typeOf(name string, at int) string {
	if i := l.at(name, at); i >= 0 {
		return l.list[i].Type
	}
	return ""
}

// at returns the variable that a name is at a byte; -1: none.
func (l *locals) at(name string, at int) int {
	for _, i := range slices.Backward(l.byName[name]) {
		if v := &l.list[i]; v.From <= at && at < v.Until {
			return i
		}
	}
	return -1
}

// maxDepth bounds how many definitions one expression may lead through.
const maxDepth = 24

// evaluate returns what an expression of Go means, at a byte of a file; at is below 0 outside of functions.
func (e *evaluator) evaluate(file, at int, text string, depth int) meaning {
	text = strings.TrimSpace(text)
	if depth > maxDepth || text == "" {
		return meaning{}
	}
	switch text[0] {
	case '&', '+', '-', '^':
		return e.evaluate(file, at, text[1:], depth+1)
	case '!':
		return known("bool")
	case '*':
		m := e.evaluate(file, at, text[1:], depth+1)
		m.value.text = strings.TrimPrefix(m.value.text, "*")
		return m
	case '<':
		if rest, ok := strings.CutPrefix(text, "<-"); ok && !strings.HasPrefix(rest, "chan") {
			return e.element(e.evaluate(file, at, rest, depth+1), false, depth)
		}
	case '"', '\'', '`':
		return known("string")
	}
	if text[0] >= '0' && text[0] <= '9' {
		return known("int")
	}
	m, rest := e.primary(file, at, text, depth)
	for rest != "" && m.known {
		m, rest = e.postfix(file, at, m, rest, depth)
	}
	return m
}

// known is a value of a type that every file has.
func known(name string) meaning { return meaning{known: true, value: typ{0, name}} }

// primary reads the first operand of an expression.
func (e *evaluator) primary(file, at int, text string, depth int) (meaning, string) {
	if text[0] == '(' {
		end := closing(text)
		m := e.evaluate(file, at, text[1:max(end-1, 1)], depth+1)
		return m, text[end:]
	}
	if n := literalType(text); n > 0 {
		return meaning{known: true, isType: true, value: typ{file, text[:n]}}, text[n:]
	}
	n := identifier(text)
	if n == 0 {
		return meaning{}, ""
	}
	name, rest := text[:n], text[n:]
	if strings.HasPrefix(rest, "(") && (name == "new" || name == "make" || name == "append" || name == "min" || name == "max") {
		end := closing(rest)
		argument := rest[1:max(end-1, 1)]
		if name == "new" || name == "make" {
			return meaning{known: true, value: typ{file, argument}}, rest[end:]
		}
		return e.evaluate(file, at, argument, depth+1), rest[end:]
	}
	return e.named(file, at, name, depth), rest
}

// named returns what a name without a qualifier means.
func (e *evaluator) named(file, at int, name string, depth int) meaning {
	if file == e.file && at >= 0 {
		if l := e.locals.at(name, at); l >= 0 {
			return e.valueOf(l, depth)
		}
	}
	if m := e.declared(e.world.packageOf(file), "", name, depth); m.known {
		return m
	}
	if files, ok := e.world.modulesOf(file)[name]; ok {
		return meaning{known: true, files: append([]int{}, files...)}
	}
	if universe(name) {
		return meaning{known: true, isType: true, value: typ{file, name}}
	}
	return meaning{}
}

// valueOf returns the value of a variable of this file.
func (e *evaluator) valueOf(local, depth int) meaning {
	if m, ok := e.values[local]; ok {
		return m
	}
	l := &e.locals.list[local]
	e.values[local] = meaning{} // for one that depends on itself
	var m meaning
	if l.Type != "" {
		m = meaning{known: true, value: e.bounded(typ{e.file, l.Type}, l.From)}
	} else if of, ok := strings.CutPrefix(l.Value, "range "); ok {
		m = e.element(e.evaluate(e.file, l.From-1, of, depth+1), l.Part == 0, depth)
	} else {
		m = part(e.evaluate(e.file, l.From-1, l.Value, depth+1), l.Part)
	}
	m.isType = false
	e.values[local] = m
	return m
}

// bounded returns the constraint of a parameter of types, and any other type as it is.
func (e *evaluator) bounded(t typ, at int) typ {
	name := strings.TrimLeft(t.text, "*")
	if identifier(name) != len(name) {
		return t
	}
	if l := e.locals.at(name, at); l >= 0 && e.locals.list[l].Type != "" && e.locals.list[l].Name != e.locals.list[l].Type {
		return typ{t.file, e.locals.list[l].Type}
	}
	return t
}

// part returns one of the values of an expression. The second one of what is no call says whether there is a first.
func part(m meaning, n int) meaning {
	switch {
	case len(m.results) > n:
		return meaning{known: true, value: typ{m.resultIn, m.results[n]}}
	case n == 0:
		return m
	case m.known && len(m.results) == 0:
		return known("bool")
	}
	return meaning{}
}

// postfix applies the first operation of rest to a meaning.
func (e *evaluator) postfix(file, at int, m meaning, rest string, depth int) (meaning, string) {
	switch rest[0] {
	case '.':
		if strings.HasPrefix(rest, ".(") {
			end := 1 + closing(rest[1:])
			return meaning{known: true, value: e.bounded(typ{file, rest[2:max(end-1, 2)]}, at)}, rest[end:]
		}
		n := identifier(rest[1:])
		if n == 0 {
			return meaning{}, ""
		}
		return e.selected(m, rest[1:1+n], depth), rest[1+n:]
	case '(':
		return e.called(part(m, 0), depth), rest[closing(rest):]
	case '[':
		end := closing(rest)
		if m = part(m, 0); m.symbol != nil || m.isType || strings.Contains(rest[:end], ":") {
			return m, rest[end:]
		}
		return e.element(m, false, depth), rest[end:]
	case '{':
		m.isType = false
		return m, rest[closing(rest):]
	}
	return meaning{}, ""
}

// selected returns what a member of a value, a type or a package means.
func (e *evaluator) selected(m meaning, name string, depth int) meaning {
	m = part(m, 0)
	if m.files != nil {
		return e.declared(m.files, "", name, depth)
	}
	list, sure := e.members(m.value, name, depth)
	if len(list) == 0 {
		return meaning{known: sure, value: typ{0, ""}}
	}
	return e.meaningOf(list[0], depth)
}

// declared returns what a name means that one of some files declares.
func (e *evaluator) declared(files []int, holder, name string, depth int) meaning {
	list := e.world.find(files, holder, name)
	if len(list) == 0 {
		return meaning{known: len(files) == 0}
	}
	return e.meaningOf(list[0], depth)
}

// called returns the result of calling a function, or of a conversion.
func (e *evaluator) called(m meaning, depth int) meaning {
	switch {
	case m.symbol != nil:
		return result(m.symbol.File, parametersOf(m.symbol.Signature))
	case m.isType:
		m.isType = false
		return m
	}
	t := e.underlying(m.value, depth)
	if rest, ok := strings.CutPrefix(t.text, "func("); ok {
		return result(t.file, "("+rest)
	}
	return meaning{known: m.known && t.text == ""}
}

// result returns the value of a function by its parameters and what is behind them.
func result(file int, parameters string) meaning {
	if parameters == "" {
		return meaning{}
	}
	list := results(strings.TrimSpace(parameters[closing(parameters):]))
	switch len(list) {
	case 0:
		return meaning{known: true}
	case 1:
		return meaning{known: true, value: typ{file, list[0]}}
	}
	return meaning{known: true, value: typ{file, list[0]}, results: list, resultIn: file}
}

// element returns what a value holds: of a map what its keys are, if key is set.
func (e *evaluator) element(m meaning, key bool, depth int) meaning {
	m = part(m, 0)
	t := e.underlying(m.value, depth)
	switch text := t.text; {
	case strings.HasPrefix(text, "["):
		if key {
			return known("int")
		}
		return meaning{known: true, value: typ{t.file, strings.TrimSpace(text[closing(text):])}}
	case strings.HasPrefix(text, "map["):
		end := 3 + closing(text[3:])
		if key {
			return meaning{known: true, value: typ{t.file, text[4:max(end-1, 4)]}}
		}
		return meaning{known: true, value: typ{t.file, strings.TrimSpace(text[end:])}}
	case strings.HasPrefix(text, "chan"), strings.HasPrefix(text, "<-chan"):
		_, of, _ := strings.Cut(text, "chan")
		return meaning{known: true, value: typ{t.file, strings.TrimSpace(strings.TrimPrefix(of, "<-"))}}
	case text == "string", text == "int":
		return known("int")
	}
	return meaning{}
}
