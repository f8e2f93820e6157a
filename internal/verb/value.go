package verb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
)

// Models give a number as a text, a list as JSON in a text or with commas, and one text as a list; programs give one text as a list. What can only
// be meant in one way is taken in that way; the rest is an error.

// read reads the value of an argument, which is not blank.
func (d Door) read(name string, raw json.RawMessage, a *Arg) error {
	text, isText := a.To.(*string)
	if a.Is.Has(Words) && d == MCP {
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			raw = asJSON(strings.Join(list, " "))
		}
	}
	if isText && a.Values != nil && d == MCP && json.Unmarshal(raw, new(float64)) == nil { // a model may write a choice such as "1" as a number
		raw = asJSON(string(bytes.TrimSpace(raw)))
	}
	if err := d.readTo(name, raw, a.To); err != nil {
		return err
	}
	switch list, isList := a.To.(*[]string); {
	case a.Values != nil && isText:
		return d.choose(name, text, a.Values)
	case a.Values != nil && isList:
		for i := range *list {
			if err := d.choose(fmt.Sprintf("%s[%d]", name, i), &(*list)[i], a.Values); err != nil {
				return err
			}
		}
		return nil
	default:
		return a.within(name)
	}
}

// choose replaces a text by the value that it names. At REST only the values themselves are names.
func (d Door) choose(name string, text *string, values []string) error {
	v, ok := Choice(values, *text)
	if !ok && d != SHODH {
		v, ok = Choice(values, keyword(*text))
	}
	if ok && d != REST {
		*text = v
	}
	return hippo.OneOf(name, *text, values...)
}

// Choice returns the value that a text names. Case, hyphens, underscores and blanks do not matter.
func Choice(values []string, text string) (string, bool) {
	text = strings.TrimSpace(text)
	for _, same := range []func(v string) bool{
		func(v string) bool { return v == text },
		func(v string) bool { return strings.EqualFold(v, text) },
		func(v string) bool { return fold(v) == fold(text) },
	} {
		if i := slices.IndexFunc(values, same); i >= 0 {
			return values[i], true
		}
	}
	return "", false
}

// fold returns a text in lower case without the hyphens, underscores and blanks that separate two letters or digits. Others have a meaning: -1 is not 1.
func fold(s string) string {
	runes := []rune(strings.ToLower(s))
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	out := make([]rune, 0, len(runes))
	for i, r := range runes {
		if !strings.ContainsRune("_- ", r) || !inWord(i-1) || !inWord(i+1) {
			out = append(out, r)
		}
	}
	return string(out)
}

// within reports a number outside of its limits.
func (a *Arg) within(name string) error {
	n, ok := numberOf(a.To)
	least, from := numberOf(a.Rules["minimum"])
	above, over := numberOf(a.Rules["exclusiveMinimum"])
	most, until := numberOf(a.Rules["maximum"])
	if !until && isWhole(a.To) {
		most, until = maxWhole, n > maxWhole
	}
	if !ok || (!from || n >= least) && (!over || n > above) && (!until || n <= most) {
		return nil
	}
	switch {
	case over && until:
		return hippo.Fieldf(name, "must be above %s and at most %s, got %s", digits(above), digits(most), digits(n))
	case until && from:
		return hippo.Fieldf(name, "must be between %s and %s, got %s", digits(least), digits(most), digits(n))
	case until:
		return hippo.Fieldf(name, "must be at most %s, got %s", digits(most), digits(n))
	case least == 0:
		return hippo.Fieldf(name, "must not be negative, got %s", digits(n))
	default:
		return hippo.Fieldf(name, "must be %s or more, got %s", digits(least), digits(n))
	}
}

// digits returns a number in digits.
func digits(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// numberOf returns the number in v, or the one that v points to.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case *int:
		return float64(*v), true
	case *float64:
		return *v, true
	case **int:
		return float64(**v), true
	case **float64:
		return **v, true
	default:
		return 0, false
	}
}

// readTo reads a value into a pointer as in [Arg].
func (d Door) readTo(name string, raw json.RawMessage, to any) error {
	switch to := to.(type) {
	case Value:
		return to.ReadArg(d, name, raw)
	case Object:
		return d.object(name+".", raw, to.Args())
	case *[]string:
		return d.texts(name, raw, to)
	case **[]string:
		*to = &[]string{}
		return d.texts(name, raw, *to)
	case *[]int:
		return readWholes(d, name, raw, to)
	}
	given := raw
	if d == MCP {
		raw = plain(raw, to)
	}
	err := json.Unmarshal(raw, to)
	if n, bad := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64); err != nil && bad == nil && d != Script && isWhole(to) { // 2.0 is 2
		err = json.Unmarshal(asJSON(n), to)
	}
	if err != nil || string(raw) == "null" {
		return d.mismatch(name, given, to)
	}
	return nil
}

// maxWhole is the largest whole number that JSON can be trusted with.
const maxWhole = 1 << 53

func isWhole(to any) bool {
	switch to.(type) {
	case *int, **int:
		return true
	default:
		return false
	}
}

// texts reads a list of texts.
func (d Door) texts(name string, raw json.RawMessage, to *[]string) error {
	if text, ok := textOf(raw); ok && !d.strict() {
		*to = []string{text}
		if d == MCP {
			*to = listOf(text)
		}
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return d.mismatch(name, raw, to)
	}
	*to = make([]string, len(items))
	for i, item := range items {
		if json.Unmarshal(item, &(*to)[i]) != nil || string(item) == "null" {
			return d.mismatch(fmt.Sprintf("%s[%d]", name, i), item, &(*to)[i])
		}
	}
	if d == MCP && len(*to) == 1 && strings.HasPrefix((*to)[0], "[") {
		*to = listOf((*to)[0])
	}
	return nil
}

// readWholes reads a list of whole numbers.
func readWholes(d Door, name string, raw json.RawMessage, to *[]int) error {
	given := raw
	if text, ok := textOf(raw); ok && d == MCP {
		given = json.RawMessage(text)
	}
	var items []json.RawMessage
	if json.Unmarshal(given, &items) != nil || items == nil {
		return d.mismatch(name, raw, to)
	}
	*to = make([]int, len(items))
	for i, item := range items {
		if err := d.readTo(fmt.Sprintf("%s[%d]", name, i), item, &(*to)[i]); err != nil {
			return err
		}
	}
	return nil
}

// plain returns a value in the form that to wants, if a model gave it as a text or a list of one: a number or a truth value in a text, or the only
// text of a list.
func plain(raw json.RawMessage, to any) json.RawMessage {
	text, isText := textOf(raw)
	switch to.(type) {
	case *string, **string:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
			return list[0]
		}
	case *bool, **bool:
		if b := strings.ToLower(text); b == "true" || b == "false" {
			return json.RawMessage(b)
		}
	case *int, **int, *float64, **float64:
		if n, err := strconv.ParseFloat(text, 64); isText && err == nil && strings.Trim(text, "+-.0123456789eE") == "" {
			return asJSON(n)
		}
	}
	return raw
}

// textOf returns the text of a JSON value, without white space around it, if it is one.
func textOf(raw json.RawMessage) (text string, ok bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return strings.TrimSpace(text), true
}

// listOf returns the texts of a text that holds a list: JSON, or separated by commas.
func listOf(text string) []string {
	var list []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// keyword returns the word of a fixed vocabulary for another one.
func keyword(text string) string {
	switch text = strings.ToLower(strings.TrimSpace(text)); text {
	case "up", "+1":
		return "upvote"
	case "down", "-1":
		return "downvote"
	case "assistant", "model":
		return "agent"
	case "human":
		return "user"
	default:
		return text
	}
}

// mismatch is the error for a value of another type.
func (d Door) mismatch(name string, raw json.RawMessage, to any) error {
	return Misshapen(name, "must be %s, got %s", d.typeName(to), d.kindOf(raw))
}

// typeName names the type of the values that go to a pointer.
func (d Door) typeName(to any) string {
	terms := [...]string{"a number", "a whole number", "true or false", "a list of texts", "a list of whole numbers", "a text"}
	if d == Script {
		terms = [...]string{"a number", "an int", "True or False", "a string or a list of strings", "a list of ints", "a string"}
	}
	switch to.(type) {
	case *float64, **float64:
		return terms[0]
	case *int, **int:
		return terms[1]
	case *bool, **bool:
		return terms[2]
	case *[]string, **[]string:
		return terms[3]
	case *[]int:
		return terms[4]
	default:
		return terms[5]
	}
}

// kindOf names the type of a value: a number as it is, never a text.
func (d Door) kindOf(raw json.RawMessage) string {
	terms := map[byte]string{'"': "a text", '{': "an object", '[': "a list"}
	if d == Script {
		terms = map[byte]string{'"': "string", '{': "dict", '[': "list"}
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	if kind := terms[raw[0]]; kind != "" {
		return kind
	}
	return fmt.Sprintf("%.40s", raw)
}

// Given returns a list of texts; nil for one blank text: what is set to nothing is not given.
func Given(list []string) []string {
	if len(list) == 1 && strings.TrimSpace(list[0]) == "" {
		return nil
	}
	return list
}

// Distinct returns labels without white space around them, each once whatever its case, as it was written first; nil for nil.
func Distinct(labels []string) []string {
	if labels == nil {
		return nil
	}
	out := make([]string, 0, len(labels))
	for _, t := range labels {
		t = strings.TrimSpace(t)
		if !slices.ContainsFunc(out, func(x string) bool { return strings.EqualFold(x, t) }) {
			out = append(out, t)
		}
	}
	return out
}
