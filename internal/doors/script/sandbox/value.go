package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// maxDepth is how deep values may nest that leave the program.
const maxDepth = 100

// day returns the day of a time, in the zone that it came with: that of the user.
func day(t starlarktime.Time) string { return when.Date(goTime(t), goTime(t).Location()) }

// goTime returns a time of a program.
func goTime(t starlarktime.Time) time.Time { return time.Time(t) }

// decodeValue returns JSON of the parent as a value.
func decodeValue(raw json.RawMessage) (starlark.Value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if len(raw) == 0 {
		return starlark.None, nil
	}
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return valueOf(v, true)
}

// valueOf converts a value of [encoding/json]. marked: objects may say by "$" what they are.
func valueOf(v any, marked bool) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		return numberOf(v)
	case []any:
		list, err := valuesOf(v, marked)
		return starlark.NewList(list), err
	case map[string]any:
		if kind, ok := v["$"].(string); ok && marked {
			delete(v, "$")
			return markedOf(kind, v)
		}
		return dictOf(v, marked)
	default:
		return nil, fmt.Errorf("a value of type %T", v)
	}
}

func valuesOf(list []any, marked bool) ([]starlark.Value, error) {
	out := make([]starlark.Value, len(list))
	for i, x := range list {
		var err error
		if out[i], err = valueOf(x, marked); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// numberOf returns an int where the literal is one.
func numberOf(n json.Number) (starlark.Value, error) {
	if !strings.ContainsAny(n.String(), ".eE") {
		if i, ok := new(big.Int).SetString(n.String(), 10); ok {
			return starlark.MakeBigInt(i), nil
		}
	}
	f, err := n.Float64()
	return starlark.Float(f), err
}

func dictOf(object map[string]any, marked bool) (starlark.Value, error) {
	d := starlark.NewDict(len(object))
	for _, k := range sortedKeys(object) {
		x, err := valueOf(object[k], marked)
		if err != nil {
			return nil, err
		}
		if err := d.SetKey(starlark.String(k), x); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for k := range object {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// markedOf returns an object that said what it is.
func markedOf(kind string, object map[string]any) (starlark.Value, error) {
	attrs := make(starlark.StringDict, len(object))
	items, _ := object["items"].([]any)
	if kind == "results" {
		delete(object, "items")
	}
	for k, v := range object {
		x, err := attributeOf(kind, k, v)
		if err != nil {
			return nil, err
		}
		attrs[k] = x
	}
	switch kind {
	case "memory":
		return &memory{record{attrs}}, nil
	case "code":
		return &code{record{attrs}}, nil
	case "results":
		list, err := valuesOf(items, true)
		return &results{list, attrs}, err
	case "struct":
		return starlarkstruct.FromStringDict(starlarkstruct.Default, attrs), nil
	default:
		return nil, fmt.Errorf("a value of kind %q", kind)
	}
}

// attributeOf returns a field of a marked object: times of memories are times, and what is in their metadata
// is plain.
func attributeOf(kind, name string, v any) (starlark.Value, error) {
	switch name {
	case "created", "updated", "event_time", "valid_from", "valid_until":
		if s, ok := v.(string); ok && kind == "memory" {
			t, err := time.Parse(time.RFC3339Nano, s)
			return starlarktime.Time(t), err
		}
	case "metadata":
		return valueOf(v, false)
	}
	return valueOf(v, true)
}

var errDeep = errors.New("the value nests too deeply")

// plain converts a value to one of [encoding/json]: results to lists, sets and tuples too, times to text,
// memories and code to objects.
func plain(v starlark.Value, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil // null
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return strings.ToValidUTF8(string(v), "\uFFFD"), nil
	case starlark.Bytes:
		return strings.ToValidUTF8(string(v), "\uFFFD"), nil
	case starlark.Int:
		return json.Number(v.String()), nil
	case starlark.Float:
		if f := float64(v); !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f, nil
		}
		return v.String(), nil
	case starlarktime.Time:
		return goTime(v).Format(time.RFC3339), nil
	case *memory:
		return v, nil
	case *code:
		return v, nil
	case starlark.IterableMapping:
		return plainMap(v, depth)
	case starlark.Iterable:
		out := []any{}
		for x := range starlark.Elements(v) {
			p, err := plain(x, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	case *starlarkstruct.Struct:
		return plainStruct(v, depth)
	default:
		return v.String(), nil
	}
}

func plainMap(m starlark.IterableMapping, depth int) (any, error) {
	out := make(map[string]any)
	for k, x := range starlark.Entries(m) {
		name, ok := starlark.AsString(k)
		if !ok {
			name = k.String()
		}
		p, err := plain(x, depth+1)
		if err != nil {
			return nil, err
		}
		out[name] = p
	}
	return out, nil
}

func plainStruct(s *starlarkstruct.Struct, depth int) (any, error) {
	out := make(map[string]any)
	for _, name := range s.AttrNames() {
		x, err := s.Attr(name)
		if err != nil {
			return nil, err
		}
		if out[name], err = plain(x, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// argumentOf converts an argument of a call: memories are their UUIDs, code is its place.
func argumentOf(v starlark.Value) (json.RawMessage, error) {
	p, err := plain(v, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(identified(p))
}

// identified replaces memories by their UUIDs, and code by its place.
func identified(v any) any {
	switch v := v.(type) {
	case *memory:
		return v.text("uuid")
	case *code:
		return v.text("id")
	case []any:
		for i := range v {
			v[i] = identified(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = identified(v[k])
		}
	}
	return v
}

// textOf returns a result for a reader: a text as it is, of a list a line for each element, else compact
// JSON.
func textOf(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return "", nil
	case *starlark.Dict, *starlarkstruct.Struct:
		return lineOf(v)
	case starlark.Iterable:
		var b strings.Builder
		for x := range starlark.Elements(v) {
			line, err := lineOf(x)
			if err != nil {
				return "", err
			}
			if b.Len()+len(line) > MaxOutput {
				return "", errLarge("the result has")
			}
			b.WriteString(line + "\n")
		}
		return strings.TrimSuffix(b.String(), "\n"), nil
	default:
		return lineOf(v)
	}
}

// lineOf returns an element of a result.
func lineOf(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		if len(v) > MaxOutput {
			return "", errLarge("the result has")
		}
		return string(v), nil
	case *memory, *code:
		return v.String(), nil
	}
	p, err := plain(v, 0)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return "", err
	}
	if b.Len() > MaxOutput {
		return "", errLarge("the result has")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func errLarge(what string) error {
	return fmt.Errorf("%s more than %d bytes: return less, such as a slice, a count or m.preview", what, MaxOutput)
}
