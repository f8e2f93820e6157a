package engine_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/rpc"
)

// unfit names the fields of types between processes that JSON cannot carry.
func unfit() (problems []string) {
	seen := make(map[reflect.Type]bool)
	for name, v := range rpc.Verbs() {
		for _, t := range []reflect.Type{v.In, v.Out} {
			problems = append(problems, untravelled(name+": "+t.String(), t, seen)...)
		}
	}
	return problems
}

// lostOf returns what values of all types between processes lose on their way, by verb: each is filled, so that no field has its zero value.
func lostOf(fill func(reflect.Value)) map[string]string {
	out := make(map[string]string)
	meant := cmp.Options{
		cmpopts.IgnoreFields(hippo.Query{}, "Relevance"), // travels beside it, see searchArgs of package query
		cmpopts.IgnoreFields(project.Identity{}, "Tree"), // is of this machine
	}
	for name, v := range rpc.Verbs() {
		for _, t := range []reflect.Type{v.In, v.Out} {
			sent, got := reflect.New(t), reflect.New(t)
			fill(sent.Elem())
			text, err := json.Marshal(sent.Interface())
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
		if t != reflect.TypeFor[error]() { // travels beside it, see the results of status and of record in package memory
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

// verbNames returns the names of all verbs that travel, in alphabetical order.
func verbNames() []string { return slices.Sorted(maps.Keys(rpc.Verbs())) }
