package splice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Member is a member of an object in a JSON file.
type Member struct {
	Dialect Dialect
	// Path are the keys from the root to the member, at least one; missing objects are created.
	Path []string
	// Value is marshalled; its order of keys is that of the file.
	Value any
	// Ours reports whether a value, as standard JSON, is one that a setup wrote, not people.
	Ours func(value []byte) bool
	// Default: a value that is there is kept, whatever it is.
	Default bool
}

// Has implements [Edit].
func (m Member) Has(text []byte) bool {
	v := Value(text, m.Path)
	return v != nil && m.Ours(v)
}

// document is a parsed text, and where a path leads in it.
type document struct {
	text []byte
	root *hujson.Value
	// chain are the containers along the path that exist, from the root on.
	chain []container
	// index is where the next key of the path stands in each container of the chain; -1 if
	// it is missing, which only that of the last one can be.
	index []int
}

// open parses a text and follows a path, whose last value need not be an object.
func (d Dialect) open(text []byte, path []string) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := d.parse(text)
	if err != nil {
		return nil, err
	}
	doc := &document{text: text, root: root}
	v := root
	for i, key := range path {
		c, ok := newContainer(v)
		if !ok || v.Value.Kind() != '{' {
			return nil, fmt.Errorf("%s is not an object: repair it by hand", strings.Join(path[:i], "."))
		}
		at, err := c.find(key)
		if err != nil {
			return nil, err
		}
		doc.chain, doc.index = append(doc.chain, c), append(doc.index, at)
		if at < 0 {
			break
		}
		v = c.parts[at]
	}
	return doc, nil
}

// value returns the value at the end of the path; nil if it is missing.
func (d *document) value() *hujson.Value {
	last := len(d.chain) - 1
	if i := d.index[last]; i >= 0 {
		return d.chain[last].parts[i]
	}
	return nil
}

// insertMissing inserts the rest of the path, which is missing, with a value.
func (d *document) insertMissing(path []string, value any) ([]byte, error) {
	last := len(d.chain) - 1
	for _, key := range slices.Backward(path[last+1:]) {
		value = map[string]any{key: value}
	}
	return insert(d.text, &d.chain[last], unit(d.text, d.root), item{path[last], value})
}

// rewrite replaces a value by another one in the layout of the text.
func (d *document) rewrite(v *hujson.Value, value any) ([]byte, error) {
	indent, _ := indentation(d.text, v.StartOffset)
	inline := !bytes.ContainsRune(d.text[d.root.StartOffset:d.root.EndOffset], '\n')
	s, err := render(value, indent, unit(d.text, d.root), inline)
	return replace(d.text, v.StartOffset, v.EndOffset, withLineBreaks(s, d.text)), err
}

// Apply implements [Edit]. Keys that the member has and the value has not are kept, such as
// what people or the program added, if both have the key "command"; else the value is replaced.
func (m Member) Apply(text []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		d, err := m.Dialect.open(text, m.Path)
		if err != nil {
			return nil, err
		}
		v := d.value()
		if v == nil {
			out, err := d.insertMissing(m.Path, m.Value)
			return m.applied(text, out, err)
		}
		old := d.text[v.StartOffset:v.EndOffset]
		switch {
		case m.Default, includes(old, m.Value):
			return text, nil
		case Value(old, []string{commandKey}) != nil:
			out, err := m.merge(text)
			return m.applied(text, out, err)
		default:
			out, err := d.rewrite(v, m.Value)
			return m.applied(text, out, err)
		}
	})
}

// commandKey is the key of servers that a client starts.
const commandKey = "command"

// merge sets the keys of the value one by one.
func (m Member) merge(text []byte) ([]byte, error) {
	want, err := members(m.Value)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		path := append(slices.Clone(m.Path), key)
		d, err := m.Dialect.open(text, path)
		if err != nil {
			return nil, err
		}
		switch v := d.value(); {
		case v == nil:
			text, err = d.insertMissing(path, want[key])
		case !sameValue(d.text[v.StartOffset:v.EndOffset], want[key]):
			text, err = d.rewrite(v, want[key])
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// members returns the members of a value that is an object.
func members(value any) (map[string]any, error) {
	s, err := render(value, "", "", true)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	err = json.Unmarshal([]byte(s), &out)
	return out, err
}

// includes reports whether a part of a text is a value, or an object with the members of the
// value and more.
func includes(text []byte, value any) bool {
	want, err := members(value)
	if err != nil {
		return sameValue(text, value)
	}
	for key, v := range want {
		if !sameValue(Value(text, []string{key}), v) {
			return false
		}
	}
	return true
}

// applied is [Dialect.verified], and verifies that the member is there.
func (m Member) applied(text, out []byte, err error) ([]byte, error) {
	out, err = m.Dialect.verified(text, out, m.Path, err)
	if err == nil && !includes(valueIn(m.Dialect, out, m.Path), m.Value) {
		return nil, errChanged
	}
	return out, err
}

// Remove implements [Edit].
func (m Member) Remove(text, before []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		d, err := m.Dialect.open(text, m.Path)
		if err != nil || !m.Has(text) {
			return text, err
		}
		if old := valueIn(m.Dialect, before, m.Path); old != nil {
			v := d.value()
			return m.Dialect.verified(text, replace(d.text, v.StartOffset, v.EndOffset, old), m.Path, nil)
		}
		last := len(d.chain) - 1
		out := remove(d.text, &d.chain[last], d.index[last])
		out, err = m.Dialect.prune(out, before, m.Path[:last])
		return m.Dialect.verified(text, out, m.Path, err)
	})
}

// Value returns the value at a path of a JSON file of any dialect as standard JSON; nil if
// there is none.
func Value(text []byte, path []string) []byte {
	v := valueIn(Commas, text, path)
	if v == nil {
		return nil
	}
	std, err := hujson.Standardize(bytes.Clone(v))
	if err != nil {
		return nil
	}
	return std
}

// valueIn returns the text of the value at a path; nil if there is none.
func valueIn(dialect Dialect, text []byte, path []string) []byte {
	d, err := dialect.open(bytes.TrimPrefix(text, []byte(byteOrderMark)), path)
	if err != nil || len(d.chain) < len(path) || d.value() == nil {
		return nil
	}
	v := d.value()
	return d.text[v.StartOffset:v.EndOffset]
}

// prune removes the containers of a path that are empty and are not in before, from the
// innermost on.
func (d Dialect) prune(text, before []byte, path []string) ([]byte, error) {
	for ; len(path) > 0; path = path[:len(path)-1] {
		doc, err := d.open(text, path)
		if err != nil || doc.value() == nil {
			return text, err
		}
		c, ok := newContainer(doc.value())
		if !ok || len(bytes.TrimSpace(doc.text[c.from+1:c.to-1])) > 0 || valueIn(d, before, path) != nil {
			return text, nil
		}
		last := len(doc.chain) - 1
		text = remove(doc.text, &doc.chain[last], doc.index[last])
	}
	return text, nil
}

// verified returns out, or an error unless it is valid in the dialect and differs from text
// at the path only, empty containers along it aside.
func (d Dialect) verified(text, out []byte, path []string, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if _, err := d.parse(out); err != nil {
		return nil, errChanged
	}
	a, errA := plain(text)
	b, errB := plain(out)
	if errA != nil || errB != nil || !reflect.DeepEqual(without(a, path), without(b, path)) {
		return nil, errChanged
	}
	return out, nil
}

// without returns a value without what is at a path, and without the containers along it
// that are empty then.
func without(v any, path []string) any {
	object, ok := v.(map[string]any)
	if !ok || len(path) == 0 {
		return v
	}
	inner, ok := object[path[0]]
	if !ok {
		return v
	}
	if len(path) == 1 {
		delete(object, path[0])
		return object
	}
	inner = without(inner, path[1:])
	if x, ok := inner.(map[string]any); ok && len(x) == 0 {
		delete(object, path[0])
		return object
	}
	object[path[0]] = inner
	return object
}
