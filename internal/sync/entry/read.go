package entry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// fields decodes a JSON object into its members, in source order and with their source text. Duplicate names, invalid UTF-8 and trailing
// data are errors, which wrap [hippo.ErrInvalid]. Values share the memory of b.
func fields(b []byte) (list []field, err error) {
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("%w: not UTF-8", hippo.ErrInvalid)
	}
	b = bytes.TrimLeft(b, space)
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return nil, fmt.Errorf("%w: not a JSON object", hippo.ErrInvalid)
	}
	seen := make(map[string]bool)
	for at := 1; ; { // the syntax was checked: a name, a colon, a value, then a comma or the end
		var name, value []byte
		if name, at = next(b, at); len(name) == 0 {
			return list, nil
		}
		value, at = next(b, at+1)
		key := string(name[1 : len(name)-1])
		if bytes.IndexByte(name, '\\') >= 0 {
			if err := json.Unmarshal(name, &key); err != nil {
				return nil, fmt.Errorf("%w: not a JSON object", hippo.ErrInvalid)
			}
		}
		if seen[key] {
			return nil, fmt.Errorf("%w: %.40q appears twice", hippo.ErrInvalid, key)
		}
		seen[key] = true
		list = append(list, field{key, value})
		at++
	}
}

// next returns the text of the JSON value at or after a position, and the position of the delimiter that follows it. The text is empty
// at the end of the surrounding object.
func next(b []byte, at int) (text []byte, end int) {
	for at < len(b) && strings.IndexByte(space, b[at]) >= 0 {
		at++
	}
	depth, quoted := 0, false
	for end = at; end < len(b); end++ {
		switch c := b[end]; {
		case quoted && c == '\\':
			end++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']'):
			return bytes.TrimRight(b[at:end], space), end
		}
	}
	return nil, end
}

// space holds the white space of JSON.
const space = " \t\n\r"

func number(f field) (uint64, error) {
	n, err := strconv.ParseUint(string(f.value), 10, 64)
	if err != nil || n == 0 || n > MaxSeq {
		return 0, fmt.Errorf("%w: must be a number from 1 to %d, got %.40s", hippo.ErrInvalid, uint64(MaxSeq), f.value)
	}
	return n, nil
}

func text(f field) (s string, err error) {
	if json.Unmarshal(f.value, &s) != nil || f.value[0] != '"' { // Unmarshal accepts null
		return "", fmt.Errorf("%w: must be a string, got %.40s", hippo.ErrInvalid, f.value)
	}
	return s, nil
}

func moment(f field) (clock.Time, error) {
	s, err := text(f)
	if err != nil {
		return 0, err
	}
	return clock.ParseTime(s)
}

func identity(f field) (hippo.ID, error) {
	s, err := text(f)
	if err != nil {
		return hippo.ID{}, err
	}
	return hippo.ParseID(s)
}

// errLong reports a line longer than [MaxLine].
var errLong = fmt.Errorf("%w: longer than %d bytes", hippo.ErrInvalid, MaxLine)

// readLine returns the next line without its newline. The last line may lack one. After the last line the error is [io.EOF].
func readLine(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		some, err := r.ReadSlice('\n')
		out = append(out, some...)
		if len(out) > MaxLine+1 {
			return nil, errLong
		}
		switch {
		case err == nil:
			return bytes.TrimSuffix(out, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		default:
			return nil, err
		}
	}
}
