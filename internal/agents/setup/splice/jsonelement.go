package splice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Element is an element of a list in a JSON file.
type Element struct {
	Dialect Dialect
	Path    []string // of the list, which is created if it is missing
	Value   any
	// Ours reports whether an element, as standard JSON, is one that a setup wrote. It
	// also recognises those of older versions.
	Ours func(element []byte) bool
}

// ours returns the indexes of the elements that a setup wrote.
func (e Element) ours(d *document, list *container) []int {
	var out []int
	for i, at := range list.items {
		std, err := hujson.Standardize(bytes.Clone(d.text[at.from:at.to]))
		if err == nil && json.Valid(std) && e.Ours(std) {
			out = append(out, i)
		}
	}
	return out
}

// Has implements [Edit].
func (e Element) Has(text []byte) bool {
	d, err := e.Dialect.open(bytes.TrimPrefix(text, []byte(byteOrderMark)), e.Path)
	if err != nil {
		return false
	}
	list, ok, err := e.list(d)
	return err == nil && ok && len(e.ours(d, &list)) > 0
}

// list returns the list at the path; false if it is missing.
func (e Element) list(d *document) (container, bool, error) {
	v := d.value()
	if v == nil || len(d.chain) < len(e.Path) {
		return container{}, false, nil
	}
	if v.Value.Kind() != '[' {
		return container{}, false, fmt.Errorf("%s is not a list: repair it by hand", strings.Join(e.Path, "."))
	}
	c, _ := newContainer(v)
	return c, true, nil
}

// Apply implements [Edit]. Of several elements of ours the first is kept.
func (e Element) Apply(text []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		d, err := e.Dialect.open(text, e.Path)
		if err != nil {
			return nil, err
		}
		list, ok, err := e.list(d)
		if err != nil {
			return nil, err
		}
		if !ok {
			out, err := d.insertMissing(e.Path, []any{e.Value})
			return e.verified(text, out, err)
		}
		ours := e.ours(d, &list)
		if len(ours) == 0 {
			out, err := insert(d.text, &list, unit(d.text, d.root), item{"", e.Value})
			return e.verified(text, out, err)
		}
		if at := list.items[ours[0]]; len(ours) > 1 || !sameValue(d.text[at.from:at.to], e.Value) {
			out := d.text
			for _, i := range slices.Backward(ours[1:]) {
				out = remove(out, &list, i)
			}
			d.text = out
			out, err := d.rewrite(list.parts[ours[0]], e.Value)
			return e.verified(text, out, err)
		}
		return text, nil
	})
}

// Remove implements [Edit]: all elements of ours go.
func (e Element) Remove(text, before []byte) ([]byte, error) {
	return withoutMark(text, func(text []byte) ([]byte, error) {
		out := text
		for {
			d, err := e.Dialect.open(out, e.Path)
			if err != nil {
				return nil, err
			}
			list, ok, err := e.list(d)
			if err != nil {
				return nil, err
			}
			ours := e.ours(d, &list)
			if !ok || len(ours) == 0 {
				break
			}
			out = remove(d.text, &list, ours[len(ours)-1])
		}
		if bytes.Equal(out, text) {
			return text, nil
		}
		out, err := e.Dialect.prune(out, before, e.Path)
		return e.verified(text, out, err)
	})
}

// verified is [Dialect.verified] of the list without the elements of ours.
func (e Element) verified(text, out []byte, err error) ([]byte, error) {
	out, err = e.Dialect.verified(text, out, e.Path, err)
	if err == nil && !reflect.DeepEqual(e.others(text), e.others(out)) {
		return nil, errChanged
	}
	return out, err
}

// others returns the elements that are not ours.
func (e Element) others(text []byte) []string {
	var list []json.RawMessage
	if err := json.Unmarshal(Value(text, e.Path), &list); err != nil {
		return nil
	}
	var out []string
	for _, x := range list {
		var b bytes.Buffer
		if err := json.Compact(&b, x); err == nil && !e.Ours(x) {
			out = append(out, b.String())
		}
	}
	return out
}
