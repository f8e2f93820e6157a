package hook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxField is the size in bytes to which a text of an event is cut before it is decoded.
const maxField = 256 << 10

// readFields reads the first JSON object of an input, and nothing behind it: some clients leave the pipe open. The input may
// begin with a mark of its byte order, and may be in UTF-16.
func readFields(in io.Reader) (map[string]json.RawMessage, error) {
	limited := &io.LimitedReader{R: in, N: maxInput + 1}
	var raw map[string]json.RawMessage
	err := json.NewDecoder(asUTF8(limited)).Decode(&raw)
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("the event has more than %d bytes", maxInput)
	case err != nil || raw == nil:
		return nil, errors.New("the event is not a JSON object") // the reason could quote it
	}
	fields := make(map[string]json.RawMessage, len(raw))
	for _, k := range slices.Sorted(maps.Keys(raw)) { // of two spellings, the one in snake case comes last and counts
		fields[strings.ToLower(strings.ReplaceAll(k, "_", ""))] = raw[k]
	}
	return fields, nil
}

// asUTF8 returns a reader of the text of another one, without the mark of its byte order.
func asUTF8(in io.Reader) io.Reader {
	b := bufio.NewReaderSize(in, 64<<10)
	head, _ := b.Peek(2) // an object has two bytes
	order := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb")):
		_, _ = b.Discard(len("\ufeff"))
		return b
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte{0}):
		order = unicode.BigEndian
	case bytes.HasPrefix(head, []byte("\xff\xfe")), len(head) == 2 && head[1] == 0:
	default:
		return b
	}
	return transform.NewReader(b, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
}

// textOf decodes a string, of which only the beginning counts if it is large; empty if it is none.
func textOf(raw json.RawMessage) (s string) {
	if len(raw) > maxField && raw[0] == '"' {
		end := maxField
		if i := bytes.LastIndexByte(raw[:end], '\\'); i >= end-len(`\u0000\u0000`) { // not inside of an escape, nor of a pair
			end = i
			for end > 0 && raw[end-1] == '\\' {
				end--
			}
		}
		raw = append(bytes.Clone(raw[:end]), '"')
	}
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
