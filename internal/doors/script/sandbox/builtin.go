package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	starlarkjson "go.starlark.net/lib/json"
	starlarkmath "go.starlark.net/lib/math"
	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/hippo-memory/hippo/internal/base/typo"
)

// caller answers the calls of a program.
type caller func(*Call) (*Reply, error)

// predeclared returns the names that a program has beside those of the language.
func predeclared(functions []Function, call caller) starlark.StringDict {
	env := starlark.StringDict{
		"json": starlarkjson.Module, "time": starlarktime.Module, "math": starlarkmath.Module,
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
		"sum":    starlark.NewBuiltin("sum", sum),
		"round":  starlark.NewBuiltin("round", round),
	}
	own := make(starlark.StringDict, len(functions))
	calls := 0
	counted := func(c *Call) (*Reply, error) {
		if calls++; calls > MaxCalls {
			return nil, fmt.Errorf("more than %d calls: ask for more at a time, such as search(..., limit=100)", MaxCalls)
		}
		return call(c)
	}
	for _, f := range functions {
		own[f.Name] = starlark.NewBuiltin(f.Name, f.builtin(counted))
	}
	if _, ok := own["search"]; ok {
		own["search_iter"] = starlark.NewBuiltin("search_iter", searchIter(own["search"]))
	}
	maps.Copy(env, own)
	env["hippo"] = starlarkstruct.FromStringDict(starlark.String("hippo"), own)
	return env
}

type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// builtin returns the function of a program that calls f.
func (f *Function) builtin(call caller) builtinFunc {
	return func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		bound, err := f.bind(args, kwargs)
		if err != nil {
			return nil, err
		}
		r, err := call(&Call{Name: f.Name, Args: bound})
		switch {
		case err != nil:
			return nil, err
		case r.Error != "":
			return nil, errors.New(r.Error)
		}
		return decodeValue(r.Value)
	}
}

// bind returns arguments by the name of their parameter.
func (f *Function) bind(args starlark.Tuple, kwargs []starlark.Tuple) (map[string]json.RawMessage, error) {
	if len(args) > len(f.Params) {
		return nil, fmt.Errorf("%s: got %d arguments, takes %s", f.Name, len(args), strings.Join(f.Params, ", "))
	}
	bound := make(map[string]json.RawMessage, len(args)+len(kwargs))
	set := func(name string, v starlark.Value) error {
		if v == starlark.None {
			return nil
		}
		if _, twice := bound[name]; twice {
			return fmt.Errorf("%s: got %s twice", f.Name, name)
		}
		raw, err := argumentOf(v)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", f.Name, name, err)
		}
		bound[name] = raw
		return nil
	}
	for i, v := range args {
		if err := set(f.Params[i], v); err != nil {
			return nil, err
		}
	}
	for _, kv := range kwargs {
		name, _ := starlark.AsString(kv[0])
		if other, ok := f.Aliases[name]; ok {
			name = other
		}
		if !slices.Contains(f.Params, name) {
			return nil, fmt.Errorf("%s: %s: is unknown%s: known are %s", f.Name, name, typo.Suggestion(name, f.Params), strings.Join(f.Params, ", "))
		}
		if err := set(name, kv[1]); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

// searchIter returns search_iter(query, batch_size=50, ...): an iterable that searches a page at a time.
func searchIter(search starlark.Value) builtinFunc {
	return func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		p := &pages{thread: thread, search: search, args: args, size: 50}
		for _, kv := range kwargs {
			name, _ := starlark.AsString(kv[0])
			switch name {
			case "batch_size", "limit":
				n, err := starlark.AsInt32(kv[1])
				if err != nil || n < 1 {
					return nil, fmt.Errorf("search_iter: batch_size must be a number above 0")
				}
				p.size = n
			case "offset":
				return nil, fmt.Errorf("search_iter: begins with the first: use search(..., offset=N)")
			default:
				p.kwargs = append(p.kwargs, kv)
			}
		}
		return p, nil
	}
}

// pages is what search_iter returns.
type pages struct {
	thread *starlark.Thread
	search starlark.Value
	args   starlark.Tuple
	kwargs []starlark.Tuple
	size   int
}

var _ starlark.Iterable = (*pages)(nil)

// String implements [starlark.Value].
func (p *pages) String() string { return "search_iter(...)" }

// Type implements [starlark.Value].
func (p *pages) Type() string { return "search_iter" }

// Freeze implements [starlark.Value].
func (p *pages) Freeze() {}

// Truth implements [starlark.Value].
func (p *pages) Truth() starlark.Bool { return true }

// Hash implements [starlark.Value].
func (p *pages) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: search_iter") }

// Iterate implements [starlark.Iterable].
func (p *pages) Iterate() starlark.Iterator { return &pageIterator{pages: p} }

// pageIterator is one pass over the pages.
type pageIterator struct {
	*pages
	page   *results
	at     int // in the page
	offset int
}

// Next implements [starlark.Iterator]. An iterator has no errors: one of a search ends the program.
func (p *pageIterator) Next(v *starlark.Value) bool {
	if p.page == nil || p.at == len(p.page.list) && p.at == p.size {
		kwargs := append(slices.Clone(p.kwargs),
			starlark.Tuple{starlark.String("offset"), starlark.MakeInt(p.offset)}, starlark.Tuple{starlark.String("limit"), starlark.MakeInt(p.size)})
		found, err := starlark.Call(p.thread, p.search, p.args, kwargs)
		page, ok := found.(*results)
		if err != nil || !ok {
			p.thread.Cancel(fmt.Sprintf("search_iter: %v", err))
			return false
		}
		p.page, p.at = page, 0
		p.offset += p.size
	}
	if p.at >= len(p.page.list) {
		return false
	}
	*v = p.page.list[p.at]
	p.at++
	return true
}

// Done implements [starlark.Iterator].
func (p *pageIterator) Done() {}

// sum is sum(list, start=0), which Starlark lacks.
func sum(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	var total starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "list", &list, "start?", &total); err != nil {
		return nil, err
	}
	for x := range starlark.Elements(list) {
		var err error
		if total, err = starlark.Binary(plus, total, x); err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
	}
	return total, nil
}

// maxDigits bounds the second argument of round.
const maxDigits = 15

// round is round(x, digits=0), which Starlark lacks: an int without digits, else a float.
func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	digits := -1
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "digits?", &digits); err != nil {
		return nil, err
	}
	f, ok := starlark.AsFloat(x)
	if !ok {
		return nil, fmt.Errorf("round: must be a number, got %s", x.Type())
	}
	if digits < 0 {
		return starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
	}
	scale := math.Pow10(min(digits, maxDigits))
	return starlark.Float(math.RoundToEven(f*scale) / scale), nil
}
