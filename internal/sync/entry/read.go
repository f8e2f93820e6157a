package entry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// fields decodes a JSON object into its members, in source order and with their source text. Duplicate names, invalid UTF-8 and trailing
// data are errors, which wrap [hippo.ErrInvalid].
func fields(b []byte) ([]field, error) {
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("%w: not UTF-8", hippo.ErrInvalid)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%w: not a JSON object", hippo.ErrInvalid)
	}
	var list []field
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("%w: not a JSON object", hippo.ErrInvalid)
		}
		if seen[key] {
			return nil, fmt.Errorf("%w: %.40q appears twice", hippo.ErrInvalid, key)
		}
		seen[key] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w: %.40q is not JSON", hippo.ErrInvalid, key)
		}
		list = append(list, field{key, value})
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%w: unterminated JSON object", hippo.ErrInvalid)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: data after the JSON object", hippo.ErrInvalid)
	}
	return list, nil
}

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
