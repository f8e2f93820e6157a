package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// maxValue is the maximum size in bytes of one JSON value that is read at a time: a
// conversation with all its turns.
const maxValue = 64 << 20

// IsOwn reports whether package formats reads what begins so, from a stream.
func IsOwn(head []byte, o Options) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 {
		return true
	}
	if text[0] != '{' && text[0] != '[' || len(o.Map) > 0 {
		return false
	}
	objects, inArray := firstObjects(text)
	return peerOf(text, objects, inArray) == nil && isOwnJSON(objects)
}

// peerOf returns the kind of another program that one of the objects at the beginning of a text is
// of; nil for none.
func peerOf(text []byte, objects [][]string, inArray bool) *jsonKind {
	kinds := jsonKinds()
	for i, k := range kinds {
		for _, keys := range objects {
			if k.array == inArray && k.matches(keys) && bytes.Contains(text, []byte(k.holds)) {
				return &kinds[i]
			}
		}
	}
	return nil
}

// openJSON detects the kind of a JSON file, or of JSON lines, from its first objects.
func openJSON(ctx context.Context, f file, text []byte) (*formats.Source, error) {
	objects, inArray := firstObjects(text)
	if k := peerOf(text, objects, inArray); k != nil {
		return formats.NewSource(k.kind, func(out *formats.Out) error { return k.read(f, out) }), nil
	}
	if !isHippo(objects) {
		if s := openTranscript(ctx, f, text); s != nil {
			return s, nil
		}
	}
	if isOwnJSON(objects) {
		return formats.Open(f.path)
	}
	if end := brokenAt(text); end != nil {
		return nil, fmt.Errorf("%w: the JSON ends too early or is broken: %w", hippo.ErrInvalid, end)
	}
	return nil, fmt.Errorf("%w: looks like JSON with the keys %s; known kinds are: %s", hippo.ErrInvalid, list(objects[0]), KnownKinds)
}

// brokenAt returns the error of a text whose first value is no JSON.
func brokenAt(text []byte) error {
	var v json.RawMessage
	return json.NewDecoder(bytes.NewReader(text)).Decode(&v)
}

// isHippo reports whether one of these objects can only be Hippo's.
func isHippo(objects [][]string) bool {
	return slices.ContainsFunc(objects, func(keys []string) bool {
		return slices.ContainsFunc([]string{"insights", "hippo_export", "conversation"}, func(k string) bool { return slices.Contains(keys, k) })
	})
}

// isOwnJSON reports whether package formats reads one of these objects.
func isOwnJSON(objects [][]string) bool {
	if len(objects) == 0 {
		return true // empty, or broken from the start: it says where
	}
	return slices.ContainsFunc(objects, func(keys []string) bool {
		return slices.ContainsFunc([]string{
			"content", "text", "memory", "insight", "observation", "body", "insights", "uuid", "hippo_export",
		}, func(k string) bool { return slices.Contains(keys, k) })
	})
}

// maxObjects is the number of objects that a kind is detected from.
const maxObjects = 50

// firstObjects returns the keys of the first objects of a text that is cut off somewhere, and
// whether they are the elements of an array.
func firstObjects(text []byte) (objects [][]string, inArray bool) {
	if text[0] == '[' {
		inArray = true
		text = text[1:]
	}
	for len(text) > 0 && len(objects) < maxObjects {
		text = bytes.TrimLeft(text, ", \t\r\n")
		if len(text) == 0 || text[0] != '{' {
			if inArray {
				break
			}
			_, text, _ = bytes.Cut(text, []byte("\n"))
			continue
		}
		keys, end := keysOf(text)
		objects = append(objects, keys)
		if end == 0 {
			break
		}
		text = text[end:]
	}
	return objects, inArray
}

// keysOf returns the keys of the object at the beginning of a text, and where it ends; 0 if it
// is cut off or broken.
func keysOf(text []byte) (keys []string, end int) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, 0
	}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return keys, 0
		}
		keys = append(keys, key)
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return keys, 0
		}
	}
	if _, err := d.Token(); err != nil {
		return keys, 0
	}
	return keys, int(d.InputOffset())
}

// jsonKind is a kind of JSON of another program.
type jsonKind struct {
	kind  formats.Kind
	array bool     // its objects are the elements of an array
	all   []string // keys that an object has
	any   []string // keys of which it has one; empty: no more
	holds string   // is at the beginning of the text, such as a key of what the object holds
	read  func(file, *formats.Out) error
}

// jsonKinds lists the kinds of JSON, of which the first that fits counts.
func jsonKinds() []jsonKind {
	return []jsonKind{
		{KindGraph, false, []string{"type", "name", "entityType"}, nil, "", readGraphLines},
		{KindGraph, false, []string{"type", "from", "to", "relationType"}, nil, "", readGraphLines},
		{KindGraph, false, []string{"entities", "relations"}, nil, "", readGraphObject},
		{KindMemoryService, false, []string{"export_metadata", "memories"}, nil, "", readMemoryServiceJSON},
		{KindMemoryService, true, []string{"content", "content_hash"}, nil, "", arrayOf(memoryServiceEntry)},
		{KindClaudeMem, false, []string{"observations"}, []string{"exportedAt", "summaries"}, "", readClaudeMemJSON},
		{KindEngram, false, []string{"observations"}, []string{"exported_at"}, "", readEngramJSON},
		{KindMem0, false, []string{"results"}, nil, `"memory"`, readMem0JSON},
		{KindMem0, true, []string{"memory"}, []string{"hash", "user_id", "agent_id", "run_id"}, "", arrayOf(mem0Entry)},
		{KindChatGPT, true, []string{"mapping"}, nil, "", readChatGPT},
		{KindClaude, true, []string{"chat_messages"}, nil, "", readClaudeConversations},
		{KindClaude, true, []string{"conversations_memory"}, nil, "", readClaudeMemories},
		{KindClaude, true, []string{"project_memories"}, nil, "", readClaudeMemories},
		{KindClaude, true, []string{"uuid", "name", "prompt_template"}, nil, "", readClaudeProjects},
		{KindClaude, false, []string{"uuid", "name", "prompt_template"}, nil, "", readClaudeProject},
		{KindClaude, true, []string{"uuid", "full_name", "email_address"}, nil, "", skipAccount},
		{KindChatGPT, false, []string{"id", "email", "chatgpt_plus_user"}, nil, "", skipAccount},
		{KindMemoryMCP, false, []string{"memories"}, nil, `"ingestion_time"`, readMemoryMCP},
		{KindMemoryMCP, true, []string{"content", "ingestion_time"}, nil, "", arrayOf(memoryMCPEntry)},
		{KindMemoryService, false, []string{"memories"}, nil, `"content"`, readMemoryServiceJSON},
	}
}

// matches reports whether an object with these keys is of the kind.
func (k *jsonKind) matches(keys []string) bool {
	has := func(key string) bool { return slices.Contains(keys, key) }
	missing := slices.ContainsFunc(k.all, func(key string) bool { return !has(key) })
	return !missing && (len(k.any) == 0 || slices.ContainsFunc(k.any, has))
}

// skipAccount leaves out a file about the user's account.
func skipAccount(_ file, out *formats.Out) error {
	out.Skip("account data", 1)
	return nil
}

// arrayOf returns the function that reads the elements of an array.
func arrayOf(decode func([]byte) (*hippo.Memory, error)) func(file, *formats.Out) error {
	return func(f file, out *formats.Out) error {
		return eachElement(f, func(where string, b []byte, err error) error {
			var m *hippo.Memory
			if err == nil {
				m, err = decode(b)
			}
			return out.Memory(where, m, err)
		})
	}
}

// eachElement calls fn with each element of the array that a file holds.
func eachElement(f file, fn entryReader) error {
	return f.read(scanning(func(s *formats.Scanner) error {
		err := s.Array(func(b []byte, n, line int, err error) error {
			return fn(fmt.Sprintf("entry %d (line %d)", n, line), b, err)
		})
		if err != nil {
			return err
		}
		return s.End()
	}))
}

// scanning returns a function that reads JSON from a reader.
func scanning(fn func(*formats.Scanner) error) func(*bufio.Reader) error {
	return func(r *bufio.Reader) error { return fn(formats.NewScannerSize(r, maxValue)) }
}

// entryReader takes an element of an array, or the error in its place.
type entryReader func(where string, b []byte, err error) error

// readObjectFile reads a JSON object: the elements of the arrays that are named, and the other
// values with other, if it is not nil.
func readObjectFile(f file, out *formats.Out, arrays map[string]entryReader, other func(key string, b json.RawMessage)) error {
	return f.read(scanning(func(s *formats.Scanner) error {
		err := s.Object(func(key string) error {
			read := arrays[key]
			if c, err := s.Peek(); read != nil && err == nil && c == '[' {
				err := s.Array(func(b []byte, n, line int, err error) error {
					return read(fmt.Sprintf("%s entry %d (line %d)", key, n, line), b, err)
				})
				if err != nil && !formats.Stopped(err) {
					err = fmt.Errorf("%s: %w", key, err)
				}
				return err
			}
			line := s.Line()
			b, err := s.Value()
			if err != nil {
				return out.Memory(fmt.Sprintf("line %d: %s", line, key), nil, err)
			}
			if other != nil {
				other(key, b)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return s.End()
	}))
}
