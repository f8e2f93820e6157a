package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// row is a row of a table, or an object, by column or key. It notes which values were read.
type row struct {
	values map[string]any
	used   map[string]bool
}

// objectRow returns the row of a JSON object.
func objectRow(b []byte) (row, error) {
	r := row{used: make(map[string]bool)}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&r.values); err != nil {
		return r, fmt.Errorf("%w: broken JSON: %w", hippo.ErrCorrupt, err)
	}
	return r, nil
}

// text returns the first of the values that is a text or a number and not blank.
func (r row) text(keys ...string) string {
	for _, k := range keys {
		var s string
		switch v := r.values[k].(type) {
		case string:
			s = v
		case []byte:
			s = string(v)
		case int64:
			s = strconv.FormatInt(v, 10)
		case float64:
			s = strconv.FormatFloat(v, 'f', -1, 64)
		case int:
			s = strconv.Itoa(v)
		case json.Number:
			s = v.String()
		case time.Time:
			s = v.UTC().Format(time.RFC3339Nano)
		}
		r.used[k] = true
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// time returns the first of the values that is a time.
func (r row) time(keys ...string) time.Time {
	for _, k := range keys {
		if t, ok := formats.ParseTime(strings.TrimSpace(r.text(k))); ok {
			return t
		}
	}
	return time.Time{}
}

// number returns a value that is a number.
func (r row) number(key string) (float64, bool) {
	f, err := strconv.ParseFloat(r.text(key), 64)
	return f, err == nil
}

// texts returns a list of texts, which may be JSON, or one text with commas.
func (r row) texts(key string) []string {
	r.used[key] = true
	if list, ok := r.values[key].([]any); ok {
		return textsOf(list)
	}
	s := strings.TrimSpace(r.text(key))
	var list []any
	if strings.HasPrefix(s, "[") && json.Unmarshal([]byte(s), &list) == nil {
		return textsOf(list)
	}
	return splitList(s)
}

func textsOf(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// splitList splits a text at its commas.
func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// object returns a value that is an object, or a text of one.
func (r row) object(key string) row {
	r.used[key] = true
	if o, ok := r.values[key].(map[string]any); ok {
		return row{values: o, used: make(map[string]bool)}
	}
	o, err := objectRow([]byte(r.text(key)))
	if err != nil {
		return row{values: map[string]any{}, used: make(map[string]bool)}
	}
	return o
}

// keep puts the values that were not read, and say something, into the metadata.
func (r row) keep(m *hippo.Memory, drop ...string) {
	for k, v := range r.values {
		if s, ok := v.(string); ok && len(s) >= maxText {
			continue
		}
		if !r.used[k] && !slices.Contains(drop, k) {
			formats.SetMeta(m, k, v)
		}
	}
}
