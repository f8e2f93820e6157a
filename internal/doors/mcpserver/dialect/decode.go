package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/typo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// decodeObject reads an object with known fields. prefix is the path of the object, with a dot at
// its end; "" for the arguments.
func decodeObject(prefix string, raw json.RawMessage, params []Param) (Args, error) {
	given, ok := objectOf(raw)
	if !ok {
		name := strings.TrimSuffix(prefix, ".")
		if name == "" {
			name = "arguments"
		}
		return nil, hippo.Fieldf(name, "must be an object with %s, got %s", list(names(params)), excerpt(raw))
	}
	out := make(Args, len(params))
	for i := range params {
		p := &params[i]
		value, err := take(given, p, prefix)
		switch {
		case err != nil:
			return nil, err
		case value == nil && p.Required:
			return nil, hippo.Fieldf(prefix+p.Name, "is required: %s", p.shape())
		case value == nil:
			continue
		}
		if out[p.Name], err = p.decode(prefix+p.Name, value); err != nil {
			return nil, err
		}
	}
	return out, refuseUnknown(prefix, given, params)
}

// take removes a parameter from given and returns its value; nil if it is absent or null.
func take(given map[string]json.RawMessage, p *Param, prefix string) (found json.RawMessage, err error) {
	for _, name := range append([]string{p.Name}, p.Aliases...) {
		v, ok := given[name]
		delete(given, name)
		if !ok || string(bytes.TrimSpace(v)) == "null" {
			continue
		}
		if found != nil {
			return nil, hippo.Fieldf(prefix+name, "is another name of %s: give one of them", p.Name)
		}
		found = v
	}
	return found, nil
}

func refuseUnknown(prefix string, left map[string]json.RawMessage, params []Param) error {
	if len(left) == 0 {
		return nil
	}
	unknown := make([]string, 0, len(left))
	for name := range left {
		unknown = append(unknown, name)
	}
	name := slices.Min(unknown)
	return hippo.Fieldf(prefix+fmt.Sprintf("%.60s", name), "is unknown%s; known are %s", typo.Suggestion(name, names(params)), list(names(params)))
}

func list(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return strings.Join(names, ", ")
}

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
		v, ok = flagOf(raw)
	case Ref:
		v, ok = refOf(raw)
	case Record:
		v, ok = recordOf(raw)
	case Texts:
		return textsOf(name, raw, p.shape())
	case Wholes:
		v, ok = wholesOf(raw)
	case Object:
		if p.Fields != nil {
			return decodeObject(name+".", raw, p.Fields)
		}
		v, ok = objectOf(raw)
	case Objects:
		return p.objects(name, raw)
	}
	if !ok {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.shape(), excerpt(given))
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

// shape describes the values that a parameter takes, with an example.
func (p *Param) shape() string {
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
	return " with " + list(names(params))
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

func (p *Param) number(raw json.RawMessage) (float64, bool) {
	text, ok := stringOf(raw)
	if !ok {
		text = string(raw)
	}
	text = strings.TrimSpace(text)
	if strings.Trim(text, "+-.0123456789eE") != "" { // no hexadecimal, no infinity
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && (p.Max <= p.Min || n >= p.Min && n <= p.Max)
}

func (p *Param) whole(raw json.RawMessage) (int, bool) {
	n, ok := p.number(raw)
	return int(n), ok && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32
}

func flagOf(raw json.RawMessage) (value, ok bool) {
	text, quoted := stringOf(raw)
	if !quoted {
		text = string(bytes.TrimSpace(raw))
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "true", text == "true" || text == "false"
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

// textsOf reads a list of texts; empty ones are dropped, spaces around them removed.
func textsOf(name string, raw json.RawMessage, shape string) ([]string, error) {
	given := raw
	if s, ok := stringOf(raw); ok {
		if !strings.HasPrefix(strings.TrimSpace(s), "[") || !json.Valid([]byte(s)) {
			return trimmed(strings.Split(s, ",")), nil
		}
		given = json.RawMessage(s)
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(given, &elements); err != nil {
		return nil, hippo.Fieldf(name, "must be %s, got %s", shape, excerpt(raw))
	}
	out := make([]string, len(elements))
	for i, e := range elements {
		s, ok := stringOf(e)
		if !ok {
			return nil, hippo.Fieldf(fmt.Sprintf("%s[%d]", name, i), "must be a text, got %s", excerpt(e))
		}
		out[i] = s
	}
	return trimmed(out), nil
}

func trimmed(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (p *Param) objects(name string, raw json.RawMessage) ([]Args, error) {
	given := raw
	if s, ok := stringOf(raw); ok {
		given = json.RawMessage(s)
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(given, &elements); err != nil || elements == nil {
		return nil, hippo.Fieldf(name, "must be %s, got %s", p.shape(), excerpt(raw))
	}
	out := make([]Args, len(elements))
	for i, e := range elements {
		var err error
		if out[i], err = decodeObject(fmt.Sprintf("%s[%d].", name, i), e, p.Fields); err != nil {
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
