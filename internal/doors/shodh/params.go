package shodh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// kind is the type of a parameter.
type kind int8

// The kinds, with the Go type of their values.
const (
	text    kind = iota // string
	texts               // []string
	whole               // int
	number              // float64
	flag                // bool
	members             // object
	label               // string: one of the choices, in any case, with or without - and _ between words
	labels              // []string
	moment              // time.Time: RFC 3339, or seconds since 1970
)

// param is one parameter of an operation.
type param struct {
	name string
	// of are the fields of the domain that it stands for, separated by spaces: errors call it so.
	of string
	// aliases are other names for it, which other implementations have.
	aliases []string
	kind    kind
	// min and max bound a number; both 0: any number. min is also the least length of texts.
	min, max float64
	choices  []string
	required bool
}

// object is a JSON object whose members are not read yet.
type object map[string]json.RawMessage

// args are arguments by the name of their parameter.
type args map[string]any

func (a args) has(name string) bool { _, ok := a[name]; return ok }

// value returns an argument; the default if it was not given.
func value[T any](a args, name string, otherwise T) T {
	if v, ok := a[name].(T); ok {
		return v
	}
	return otherwise
}

// decode returns the arguments in an object, and its other members. What is blank is an argument that is not
// given. The error is a [*hippo.FieldError].
func decode(given object, params []param) (args, object, error) {
	out := make(args, len(params))
	for i := range params {
		p := &params[i]
		raw, err := p.take(given)
		switch {
		case err != nil:
			return nil, nil, err
		case raw == nil && p.required:
			return nil, nil, hippo.Fieldf(p.name, "is required, and must not be blank: %s", p.shape())
		case raw == nil:
			continue
		}
		if out[p.name], err = p.decode(p.name, raw); err != nil {
			return nil, nil, err
		}
	}
	return out, given, nil
}

// take removes a parameter from an object and returns its value; nil if it is absent.
func (p *param) take(given object) (found json.RawMessage, err error) {
	for _, name := range append([]string{p.name}, p.aliases...) {
		raw := bytes.TrimSpace(given[name])
		delete(given, name)
		if verb.IsBlank(raw) {
			continue
		}
		if found != nil && !bytes.Equal(found, raw) {
			return nil, hippo.Fieldf(name, "is another name of %s: give one of them", p.name)
		}
		found = raw
	}
	return found, nil
}

// decode reads a value. name is its place in the request, for errors.
func (p *param) decode(name string, raw json.RawMessage) (v any, err error) {
	ok := false
	switch p.kind {
	case text:
		v, ok = into[string](raw)
	case texts, labels:
		return p.list(name, raw)
	case whole:
		var n float64
		n, ok = p.number(raw)
		v, ok = int(n), ok && n == math.Trunc(n) && math.Abs(n) <= maxOffset
	case number:
		v, ok = p.number(raw)
	case flag:
		v, ok = into[bool](raw)
	case members:
		v, ok = into[object](raw)
	case label:
		v, ok = p.choice(raw)
	case moment:
		v, ok = timeOf(raw)
	}
	if !ok {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.shape(), excerpt(raw))
	}
	return v, nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// into decodes a JSON value, which is not null, of one type.
func into[T any](raw json.RawMessage) (v T, ok bool) {
	return v, json.Unmarshal(raw, &v) == nil
}

func (p *param) number(raw json.RawMessage) (float64, bool) {
	n, ok := into[float64](raw)
	return n, ok && (p.min == 0 && p.max == 0 || n >= p.min && n <= p.max)
}

// choice returns the choice that a text means.
func (p *param) choice(raw json.RawMessage) (string, bool) {
	s, ok := into[string](raw)
	if !ok {
		return "", false
	}
	return choose(p.choices, s)
}

// choose returns the label that a text is, but for what [fold] leaves out.
func choose(labels []string, s string) (string, bool) {
	if slices.Contains(labels, s) {
		return s, true
	}
	s = fold(s)
	i := slices.IndexFunc(labels, func(c string) bool { return fold(c) == s })
	if i < 0 {
		return "", false
	}
	return labels[i], true
}

// fold returns a label without what writers vary: case, and what stands between words.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

func (p *param) list(name string, raw json.RawMessage) ([]string, error) {
	elements, ok := into[[]json.RawMessage](raw)
	if !ok || len(elements) < int(p.min) {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.shape(), excerpt(raw))
	}
	element := param{kind: text, choices: p.choices}
	if p.kind == labels {
		element.kind = label
	}
	out := make([]string, len(elements))
	for i, e := range elements {
		at := fmt.Sprintf("%s[%d]", name, i)
		if isNull(e) {
			return nil, hippo.Fieldf(at, "must be %s, got null", element.shape())
		}
		v, err := element.decode(at, e)
		if err != nil {
			return nil, err
		}
		out[i], _ = v.(string)
	}
	return out, nil
}

// maxSeconds is the last second that RFC 3339 can express, since 1970: 9999-12-31T23:59:59Z.
const maxSeconds = 253_402_300_799

func timeOf(raw json.RawMessage) (time.Time, bool) {
	if n, ok := into[float64](raw); ok {
		return time.UnixMicro(int64(n * 1e6)).UTC(), n >= 0 && n <= maxSeconds
	}
	s, ok := into[string](raw)
	t, err := time.Parse(time.RFC3339, s)
	return t, ok && err == nil && t.Unix() >= 0 && t.Unix() <= maxSeconds
}

// shape describes the values that a parameter takes, with an example.
func (p *param) shape() string {
	switch p.kind {
	case text:
		return "a text"
	case texts:
		return `a list of texts, such as ["auth","security"]`
	case whole:
		return "a whole number" + p.bounds()
	case number:
		return "a number" + p.bounds()
	case flag:
		return "true or false"
	case members:
		return `an object, such as {"key":"value"}`
	case labels:
		return "a list of " + strings.Join(p.choices, ", ")
	case moment:
		return "a time, such as 2026-03-01T12:00:00Z, or seconds since 1970"
	default:
		return "one of " + strings.Join(p.choices, ", ")
	}
}

func (p *param) bounds() string {
	switch {
	case p.min == 0 && p.max == 0:
		return ""
	case p.max == maxOffset:
		return " of " + strconv.Itoa(int(p.min)) + " or more"
	default:
		return fmt.Sprintf(" between %v and %v", p.min, p.max)
	}
}

// excerpt shows a value in an error.
func excerpt(raw json.RawMessage) string {
	shown := []rune(string(bytes.TrimSpace(raw)))
	if len(shown) == 0 {
		return "nothing"
	}
	if len(shown) > 40 {
		return string(shown[:40]) + "..."
	}
	return string(shown)
}
