package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hippo-memory/hippo"
)

// sniffLength is the number of bytes from which the kind of a source is detected.
const sniffLength = 64 << 10

// sniff detects the kind of a stream from its first object, without consuming it.
func sniff(r *bufio.Reader) (Kind, error) {
	head, err := r.Peek(sniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return "", fmt.Errorf("%w: UTF-16, must be UTF-8", hippo.ErrInvalid)
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, byteOrderMark()))
	if len(head) == 0 {
		return KindLines, nil
	}
	if head[0] == '[' {
		return KindArray, nil
	}
	// A broken first line must not hide the kind of the other lines.
	for rest := head; len(rest) > 0; {
		if rest[0] == '{' {
			if kind, ok := sniffObject(rest); ok {
				return kind, nil
			}
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
		rest = bytes.TrimLeft(rest, " \t\r\n")
	}
	if head[0] == '{' {
		return KindLines, nil
	}
	return "", fmt.Errorf("%w: neither JSON lines nor a JSON file", hippo.ErrInvalid)
}

// sniffObject returns the kind of a text that begins with an object; false if
// the object is broken on its first line.
func sniffObject(text []byte) (Kind, bool) {
	keys, end, err := topKeys(text)
	if slices.Contains(keys, insightsKey) {
		return KindLegacy, true
	}
	line := bytes.IndexByte(text, '\n')
	if line >= 0 && end > line {
		// Even for a broken line a decoder may find the end on the next one.
		return KindInsight, err == nil || bytes.Equal(bytes.TrimSpace(text[:line]), []byte("{"))
	}
	if err != nil && line >= 0 {
		return "", false
	}
	return kindOf(keys), true
}

// topKeys returns the keys of the object at the beginning of text that can be read, and
// where reading stopped. It stops at a list of insights.
func topKeys(text []byte) (keys []string, end int, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	_, err = d.Token()
	for err == nil && d.More() {
		var key, start json.Token
		if key, err = d.Token(); err != nil {
			break
		}
		name, ok := key.(string)
		if !ok {
			break
		}
		if name == insightsKey {
			if start, err = d.Token(); err == nil && start == json.Delim('[') {
				return append(keys, name), int(d.InputOffset()), nil
			}
			break
		}
		keys = append(keys, name)
		var skip json.RawMessage
		err = d.Decode(&skip)
	}
	if err == nil {
		_, err = d.Token()
	}
	return keys, int(d.InputOffset()), err
}

func kindOf(keys []string) Kind {
	has := func(k string) bool { return slices.Contains(keys, k) }
	switch {
	case has(exportKey):
		return KindExport
	case isTurn(has):
		return KindTurns
	default:
		return KindLines
	}
}
