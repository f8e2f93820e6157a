package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// maxSize is the size in bytes up to which a file of settings is changed.
const maxSize = 1 << 20

// Save sets one setting in a TOML file, which is created if need be; an empty value
// removes the setting. Everything else is kept byte for byte: comments, other keys, their
// order. A symbolic link is kept, and its target replaced atomically. A file that is not
// valid TOML, or in which the setting cannot be changed alone, is [hippo.ErrInvalid] and
// unchanged, as is one that another program changes at the same time ([hippo.ErrConflict]).
func Save(path, name, value string) error {
	path, err := target(path)
	if err != nil {
		return fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	old, err := atomicfile.Read(path, maxSize)
	if err != nil {
		return fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	text, err := edit(old.Content, name, value)
	if err != nil {
		return fmt.Errorf("%w: settings %s: %w", hippo.ErrInvalid, path, err)
	}
	if bytes.Equal(old.Content, text) {
		return nil
	}
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = old.Replace(text)
	}
	switch {
	case errors.Is(err, atomicfile.ErrChanged):
		return fmt.Errorf("%w: settings %s: %w", hippo.ErrConflict, path, err)
	case err != nil:
		return fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	return nil
}

// target resolves symbolic links to the file, which need not exist.
func target(path string) (string, error) {
	full, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return full, err
	}
	next, err := os.Readlink(path)
	if err != nil {
		return path, nil //nolint:nilerr // neither a file nor a link: it will be created
	}
	if !filepath.IsAbs(next) {
		next = filepath.Join(filepath.Dir(path), next)
	}
	return target(next)
}

// edit returns a TOML document with one top-level key set, or removed if value is empty.
// It checks that the other values are unchanged.
func edit(text []byte, name, value string) ([]byte, error) {
	want := make(map[string]any)
	if err := toml.Unmarshal(text, &want); err != nil {
		return nil, err
	}
	if _, isText := want[name].(string); want[name] != nil && !isText {
		return nil, fmt.Errorf("%s is not a text in quotes: change it by hand", name)
	}
	out, err := splice(text, name, value)
	if err != nil {
		return nil, err
	}
	delete(want, name)
	if value != "" {
		want[name] = value
	}
	got := make(map[string]any)
	if err := toml.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("%s cannot be changed without changing the rest: change it by hand", name)
	}
	return out, nil
}

// splice is [edit] without the check.
func splice(text []byte, name, value string) ([]byte, error) {
	quoted, err := json.Marshal(value) // its escapes are those of TOML
	if err != nil {
		return nil, err
	}
	var p unstable.Parser
	p.Reset(text)
	end := 0 // of the last key before the first table
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue {
			break
		}
		key, v := e.Key(), e.Value().Raw
		if key.Next() && key.IsLast() && string(key.Node().Data) == name {
			if value == "" {
				return remove(text, int(e.Raw.Offset), int(v.Offset+v.Length)), nil
			}
			return join(text[:v.Offset], quoted, text[v.Offset+v.Length:]), nil
		}
		end = int(e.Raw.Offset + e.Raw.Length)
	}
	if value == "" {
		return text, p.Error()
	}
	lineBreak := []byte("\n")
	if bytes.Contains(text, []byte("\r\n")) {
		lineBreak = []byte("\r\n")
	}
	line := join([]byte(name+" = "), quoted, lineBreak)
	switch {
	case end > 0:
		end = endOfLine(text, end)
	case !bytes.Contains(text, []byte("[")): // comments only, else before the first table
		end = len(text)
	}
	if end > 0 && text[end-1] != '\n' {
		line = join(lineBreak, line)
	}
	return join(text[:end], line, text[end:]), p.Error()
}

// endOfLine returns where the line after that of a byte begins.
func endOfLine(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// remove deletes text[from:to], and its line if the rest is empty.
func remove(text []byte, from, to int) []byte {
	for from > 0 && (text[from-1] == ' ' || text[from-1] == '\t') {
		from--
	}
	rest := bytes.TrimLeft(text[to:], " \t")
	if i := bytes.IndexByte(rest, '\n'); i >= 0 && len(bytes.TrimSpace(rest[:i])) == 0 {
		rest = rest[i+1:]
	}
	return join(text[:from], rest)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
