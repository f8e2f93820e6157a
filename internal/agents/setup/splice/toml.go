package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Table is a table in a TOML file, such as [mcp_servers.hippo].
type Table struct {
	Path []string // bare keys
	Keys []Key
	// Ours reports whether a table, as JSON, is one that a setup wrote, not people.
	Ours func(table []byte) bool
}

// Has implements [Edit].
func (t Table) Has(text []byte) bool {
	v := TOMLValue(text, t.Path)
	return v != nil && t.Ours(v)
}

// Key is a key of a [Table] with a text, an integer, a boolean or a list of texts.
type Key struct {
	Name  string
	Value any
}

// text returns the table as TOML. The escapes of JSON are those of TOML.
func (t Table) text() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", strings.Join(t.Path, "."))
	for _, k := range t.Keys {
		s, err := render(k.Value, "", "", true)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s = %s\n", k.Name, s)
	}
	return b.String(), nil
}

// decodeTOML returns the values of a text.
func decodeTOML(text []byte) (map[string]any, error) {
	v := make(map[string]any)
	if err := toml.Unmarshal(text, &v); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := bad.Position()
			return nil, fmt.Errorf("the file is not valid TOML: line %d: %s", line, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, fmt.Errorf("the file is not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return v, nil
}

// TOMLValue returns the value at a path of a TOML file as JSON; nil if there is none.
func TOMLValue(text []byte, path []string) []byte {
	v, err := decodeTOML(bytes.TrimPrefix(text, []byte(byteOrderMark)))
	if err != nil {
		return nil
	}
	var at any = v
	for _, key := range path {
		table, _ := at.(map[string]any)
		if at = table[key]; at == nil {
			return nil
		}
	}
	out, err := json.Marshal(at)
	if err != nil {
		return nil
	}
	return out
}

// Apply implements [Edit]. A new table is appended after a blank line. Keys that the table
// has and t has not are kept if it has the key "command"; else the table is replaced.
func (t Table) Apply(text []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		doc, err := decodeTOML(text)
		if err != nil {
			return nil, err
		}
		if t.isIn(doc) {
			return text, nil
		}
		table, err := t.text()
		if err != nil {
			return nil, err
		}
		out, place := t.cut(text)
		switch old, _ := at(doc, t.Path).(map[string]any); {
		case place < 0:
			out = withTable(out, withLineBreaks(table, text))
		case old[commandKey] != nil:
			out, err = t.merge(text)
		default:
			out = replace(out, place, place, withLineBreaks(table, text))
		}
		if err != nil {
			return nil, err
		}
		if doc, err := decodeTOML(out); err != nil || !t.isIn(doc) {
			return nil, errChanged
		}
		return t.verified(text, out)
	})
}

// isIn reports whether a document has the table with the values of t.
func (t Table) isIn(doc map[string]any) bool {
	table, _ := at(doc, t.Path).(map[string]any)
	for _, k := range t.Keys {
		got, err := json.Marshal(table[k.Name])
		if err != nil || !sameValue(got, k.Value) {
			return false
		}
	}
	return true
}

// merge sets the keys of the table one by one.
func (t Table) merge(text []byte) ([]byte, error) {
	for _, k := range t.Keys {
		value, err := render(k.Value, "", "", true)
		if err != nil {
			return nil, err
		}
		spans, old := t.spans(text), t.value(text, k.Name)
		if old.to > 0 {
			text = replace(text, old.from, old.to, []byte(value))
			continue
		}
		after := lineEnd(text, spans[0].from)
		text = replace(text, after, after, withLineBreaks(k.Name+" = "+value+"\n", text))
	}
	return text, nil
}

// value returns the place of the value of a key of the table; zero if it has none.
func (t Table) value(text []byte, name string) (place span) {
	var p unstable.Parser
	p.Reset(text)
	inside := false
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue {
			path, _ := header(e)
			inside = len(path) == len(t.Path) && hasPrefix(path, t.Path)
			continue
		}
		key := e.Key()
		if inside && key.Next() && key.IsLast() && string(key.Node().Data) == name {
			k := key.Node().Raw // lists have no offset of their own, so the place is found from the key on
			after := int(k.Offset + k.Length)
			from := after + bytes.IndexByte(text[after:], '=') + 1
			from += len(text[from:]) - len(bytes.TrimLeft(text[from:], " \t"))
			place = span{from, int(e.Raw.Offset + e.Raw.Length)}
		}
	}
	return place
}

// withTable appends a table after a blank line.
func withTable(text, table []byte) []byte {
	eol := []byte(lineBreak(text))
	out := bytes.Clone(text)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, eol...)
	}
	if len(out) > 0 {
		out = append(out, eol...)
	}
	return append(out, table...)
}

// Remove implements [Edit]. It also removes the blank line before the table.
func (t Table) Remove(text, before []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		if _, err := decodeTOML(text); err != nil {
			return nil, err
		}
		if !t.Has(text) {
			return text, nil
		}
		out, place := t.cut(text)
		if place < 0 {
			return nil, errChanged
		}
		if old := t.textIn(before); old != nil {
			return t.verified(text, replace(out, place, place, old))
		}
		return t.verified(text, replace(out, blankBefore(out, place), place, nil))
	})
}

// at returns the value at a path; nil if there is none.
func at(v map[string]any, path []string) any {
	for _, key := range path[:len(path)-1] {
		v, _ = v[key].(map[string]any)
	}
	return v[path[len(path)-1]]
}

// cut returns a text without the table and its tables inside, and where it began; -1 if it
// is not there.
func (t Table) cut(text []byte) (rest []byte, place int) {
	place, rest = -1, text
	for _, s := range slices.Backward(t.spans(text)) {
		rest, place = replace(rest, s.from, s.to, nil), s.from
	}
	return rest, place
}

// textIn returns the text of the table and of its tables inside; nil if it is not there.
func (t Table) textIn(text []byte) []byte {
	var out []byte
	for _, s := range t.spans(text) {
		out = append(out, text[s.from:s.to]...)
	}
	return out
}

// spans returns the places of the table and of its tables inside, from the line of the
// header to the end of the line of the last value.
func (t Table) spans(text []byte) []span {
	var p unstable.Parser
	p.Reset(text)
	var out []span
	inside := false
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, offset := header(e)
			if inside = hasPrefix(path, t.Path); inside {
				from := bytes.LastIndexByte(text[:offset], '\n') + 1
				out = append(out, span{from, lineEnd(text, offset)})
			}
		case unstable.KeyValue:
			if inside {
				last := int(e.Raw.Offset + e.Raw.Length)
				out[len(out)-1].to = lineEnd(text, last)
			}
		default:
		}
	}
	return out
}

// header returns the path of a table, and the offset of its first key; the node itself has
// no offset.
func header(e *unstable.Node) (path []string, offset int) {
	keys := e.Key()
	for first := true; keys.Next(); first = false {
		n := keys.Node()
		if first {
			offset = int(n.Raw.Offset)
		}
		path = append(path, string(n.Data))
	}
	return path, offset
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && reflect.DeepEqual(path[:len(prefix)], prefix)
}

// verified returns out, or an error unless it is valid and equals text outside of the table.
func (t Table) verified(text, out []byte) ([]byte, error) {
	a, errA := decodeTOML(text)
	b, errB := decodeTOML(out)
	if errA != nil || errB != nil || !reflect.DeepEqual(without(a, t.Path), without(b, t.Path)) {
		return nil, errChanged
	}
	return out, nil
}
