package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// decodeInto reads an object with known fields; name is that of the argument that it is, empty for the arguments themselves.
func decodeInto(name string, raw json.RawMessage, params []Param) (Args, error) {
	out := make(Args, len(params))
	args := argsOf(params, out)
	var err error
	if name == "" {
		err = verb.Decode(verb.MCP, raw, args)
	} else {
		err = verb.ReadObject(verb.MCP, name, raw, args)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// argsOf returns parameters as arguments, whose values go to another place.
func argsOf(params []Param, to Args) []verb.Arg {
	out := make([]verb.Arg, len(params))
	for i := range params {
		p := &params[i]
		out[i] = verb.Arg{Name: p.Name, Also: strings.Join(p.Aliases, " "), Field: p.Of, Is: verb.Verbatim | verb.Listed, To: &slot{p, to}}
		if p.Required {
			out[i].Is |= verb.Required
		}
	}
	return out
}

// slot is where the value of a parameter goes.
type slot struct {
	*Param
	to Args
}

// ReadArg implements [verb.Value].
func (s *slot) ReadArg(_ verb.Door, name string, raw json.RawMessage) (err error) {
	s.to[s.Name], err = s.decode(name, raw)
	return err
}

// Schema implements [verb.Value].
func (s *slot) Schema() verb.Schema { return s.schema() }

// decode reads the value of a parameter; name is its path.
func (p *Param) decode(name string, raw json.RawMessage) (any, error) {
	var v any
	ok := false
	given := raw
	raw = p.only(raw)
	switch p.Kind {
	case Text:
		v, ok = p.text(raw)
	case Whole:
		v, ok = p.whole(raw)
	case Number:
		v, ok = p.number(raw)
	case Flag:
		v, ok = valueIn[bool](raw)
	case Ref:
		v, ok = refOf(raw)
	case Record:
		v, ok = recordOf(raw)
	case Texts:
		return p.texts(name, raw)
	case Wholes:
		v, ok = wholesOf(raw)
	case Object:
		if p.Fields != nil {
			return decodeInto(name, raw, p.Fields)
		}
		v, ok = objectOf(raw)
	case Objects:
		return p.objects(name, raw)
	}
	if !ok {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.Shape(), excerpt(given))
	}
	return v, nil
}

// only returns the only element of a list where one text or one reference is expected: models write ["ID"] for "ID".
func (p *Param) only(raw json.RawMessage) json.RawMessage {
	if p.Kind != Text && p.Kind != Ref && p.Kind != Record {
		return raw
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) != 1 {
		return raw
	}
	return list[0]
}

// Shape describes the values that a parameter takes, with an example.
func (p *Param) Shape() string {
	bounds := ""
	if p.Max > p.Min {
		bounds = fmt.Sprintf(" between %v and %v", p.Min, p.Max)
	}
	switch p.Kind {
	case Whole:
		return "a whole number" + bounds + ", such as 5"
	case Number:
		return "a number" + bounds + ", such as 0.5"
	case Flag:
		return "true or false"
	case Ref:
		return "one whole number, or one ID as text"
	case Record:
		return "an ID as text"
	case Wholes:
		return "a list of whole numbers, such as [1,10]"
	case Texts:
		return `a list of texts, such as ["a","b"]`
	case Object:
		return "an object" + fieldsOf(p.Fields)
	case Objects:
		return "a list of objects" + fieldsOf(p.Fields)
	default:
		if p.Choices != nil {
			return "one of " + strings.Join(p.Choices, ", ")
		}
		return "a text"
	}
}

func fieldsOf(params []Param) string {
	if params == nil {
		return ""
	}
	return " with " + strings.Join(names(params), ", ")
}

func (p *Param) text(raw json.RawMessage) (string, bool) {
	s, ok := stringOf(raw)
	if p.Choices == nil {
		return s, ok
	}
	if !ok { // a number is a choice as it is written
		s = string(bytes.TrimSpace(raw))
	}
	s = strings.ToLower(strings.TrimSpace(s))
	return s, slices.Contains(p.Choices, s)
}

// valueIn reads a value as a model gives it.
func valueIn[T any](raw json.RawMessage) (v T, ok bool) {
	return v, verb.ReadValue(verb.MCP, "", raw, &v) == nil
}

func (p *Param) number(raw json.RawMessage) (float64, bool) {
	n, ok := valueIn[float64](raw)
	return n, ok && (p.Max <= p.Min || n >= p.Min && n <= p.Max)
}

func (p *Param) whole(raw json.RawMessage) (int, bool) {
	n, ok := p.number(raw)
	return int(n), ok && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32
}

func refOf(raw json.RawMessage) (string, bool) {
	if s, ok := stringOf(raw); ok {
		s = strings.TrimSpace(s)
		return s, s != ""
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	return engine.NumberRef(n), err == nil && n >= 0
}

// recordOf reads the key of a record. The key may be nested as deep as clients write it.
func recordOf(raw json.RawMessage) (string, bool) {
	if s, ok := stringOf(raw); ok {
		if at := strings.LastIndexByte(s, ':'); at >= 0 {
			s = s[at+1:]
		}
		s = strings.Trim(strings.TrimSpace(s), "⟨⟩`")
		return s, s != ""
	}
	var nested struct {
		ID, Key, String json.RawMessage
	}
	if json.Unmarshal(raw, &nested) != nil {
		return "", false
	}
	for _, inner := range []json.RawMessage{nested.ID, nested.Key, nested.String} {
		if inner != nil {
			return recordOf(inner)
		}
	}
	return "", false
}

func wholesOf(raw json.RawMessage) (list []int, ok bool) {
	if s, ok := stringOf(raw); ok {
		raw = json.RawMessage(s)
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil || elements == nil {
		return nil, false
	}
	list = make([]int, len(elements))
	for i, e := range elements {
		if list[i], ok = (&Param{}).whole(e); !ok {
			return nil, false
		}
	}
	return list, true
}

func stringOf(raw json.RawMessage) (s string, ok bool) {
	return s, json.Unmarshal(raw, &s) == nil && string(bytes.TrimSpace(raw)) != "null"
}

func objectOf(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if s, ok := stringOf(raw); ok {
		raw = json.RawMessage(s)
	}
	var out map[string]json.RawMessage
	err := json.Unmarshal(raw, &out)
	return out, err == nil && out != nil
}

// texts reads a list of texts; empty ones are dropped, spaces around them removed.
func (p *Param) texts(name string, raw json.RawMessage) ([]string, error) {
	var list []string
	err := verb.ReadValue(verb.MCP, name, raw, &list)
	if bad, ok := errors.AsType[*verb.ShapeError](err); ok && bad.Field == name {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.Shape(), excerpt(raw))
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out, err
}

func (p *Param) objects(name string, raw json.RawMessage) ([]Args, error) {
	given := raw
	if s, ok := stringOf(raw); ok {
		given = json.RawMessage(s)
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(given, &elements); err != nil || elements == nil {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.Shape(), excerpt(raw))
	}
	out := make([]Args, len(elements))
	for i, e := range elements {
		var err error
		if out[i], err = decodeInto(fmt.Sprintf("%s[%d]", name, i), e, p.Fields); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// excerpt shows a value in an error.
func excerpt(raw json.RawMessage) string {
	text := []rune(string(bytes.TrimSpace(raw)))
	if len(text) > 40 {
		return string(text[:40]) + "..."
	}
	return string(text)
}
