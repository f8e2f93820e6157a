package engine

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
)

// Scope returns the scope of the caller.
func (m *Memories) Scope() hippo.Scope { return m.scope }

// Searching is a search that runs until the caller calls the function that it returns.
func (m *Memories) Searching() (end func()) { return m.embedding.Searching() }

// Compare is [Compare], which [Memories.RecordCompared] runs beside the record.
func (m *Memories) Compare(ctx context.Context, x *hippo.Memory) (*Comparison, error) {
	return Compare(ctx, m, x)
}

// Instructs is what [Context] marks memories by.
func Instructs(text string) bool { return instructs(text) }

// Travelled returns an error as another process sees it.
func Travelled(err error) error { return newFailure(err).err() }

// Untravelled names the fields of types between processes that JSON cannot carry.
func Untravelled() (problems []string) {
	seen := make(map[reflect.Type]bool)
	for name, v := range verbs() {
		for _, t := range []reflect.Type{v.in, v.out} {
			problems = append(problems, untravelled(name+": "+t.String(), t, seen)...)
		}
	}
	return problems
}

// Lost returns what values of all types between processes lose on their way, by verb: each is filled, so that no field has its zero value.
func Lost(fill func(reflect.Value)) map[string]string {
	out := make(map[string]string)
	meant := cmp.Options{
		cmpopts.IgnoreFields(hippo.Query{}, "Relevance"), // travels beside it, see searchArgs
		cmpopts.IgnoreFields(project.Identity{}, "Tree"), // is of this machine
	}
	for name, v := range verbs() {
		for _, t := range []reflect.Type{v.in, v.out} {
			sent, got := reflect.New(t), reflect.New(t)
			fill(sent.Elem())
			text, err := encode(sent.Interface())
			if err == nil {
				err = json.Unmarshal(text, got.Interface())
			}
			if diff := cmp.Diff(sent.Interface(), got.Interface(), meant); err != nil || diff != "" {
				out[name+": "+t.String()] = fmt.Sprintf("%v%s", err, diff)
			}
		}
	}
	return out
}

func untravelled(path string, t reflect.Type, seen map[reflect.Type]bool) (problems []string) {
	if seen[t] || t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Complex128, reflect.UnsafePointer:
		return []string{path}
	case reflect.Interface:
		if t != reflect.TypeFor[error]() { // travels beside it, see statusResult and comparedResult
			return []string{path}
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return untravelled(path, t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if !f.IsExported() {
				problems = append(problems, path+"."+f.Name)
				continue
			}
			problems = append(problems, untravelled(path+"."+f.Name, f.Type, seen)...)
		}
	default:
	}
	return problems
}

// VerbNames returns the names of all verbs that travel, in alphabetical order.
func VerbNames() []string { return slices.Sorted(maps.Keys(verbs())) }

// SpecNames returns the names of the verbs that something is known of.
func SpecNames() []string { return slices.Sorted(maps.Keys(specs())) }

// PageAfter reads the page of an export after a position.
func PageAfter(ctx context.Context, m *Memories, position string) (any, error) {
	return perform(ctx, m, position, "export_after", exportAfter)
}

// PublicName is the name by which an [Observer] hears of a verb.
func PublicName(verb string) string { return specs()[verb].public }

// Turns are [turns].
type Turns struct{ *turns }

// NewTurns returns turns of most searches at a time, which admit others when low are left.
func NewTurns(most, low int) Turns { return Turns{&turns{most: most, low: low}} }

// Begin is [turns.begin].
func (t Turns) Begin(ctx context.Context) error { return t.begin(ctx) }

// End is [turns.end].
func (t Turns) End() { t.end() }

// State returns how many searches are under way and wait.
func (t Turns) State() (under, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.under, len(t.waiting)
}

// Wait lets searches come until some wait.
func (t Turns) Wait(n int) {
	for waiting := -1; waiting != n; {
		runtime.Gosched()
		_, waiting = t.State()
	}
}

// GroupBroken groups a graph that is none, and returns the error.
func GroupBroken() error {
	_, err := group(nil)
	return err
}
