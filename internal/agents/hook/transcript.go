package hook

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/hippo-memory/hippo"
)

const (
	// transcriptTail is how much of the end of a transcript is read: more than a context holds.
	transcriptTail = 512 << 10
	// minQuoted is how many characters of a memory must stand in a transcript in one piece.
	minQuoted, maxQuoted = 20, 80
)

// transcript is the end of a transcript, since the last compaction: what the model still has.
type transcript struct {
	text []byte
	// compacted: there was a compaction before it.
	compacted bool
}

// readTranscript reads the end of a transcript; one that cannot be read is empty. Its size does not
// matter, and it may grow meanwhile.
func readTranscript(path string) *transcript {
	t := &transcript{}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return t
	}
	f, err := os.Open(path)
	if err != nil {
		return t
	}
	defer f.Close() //nolint:errcheck // it is only read
	from := max(0, info.Size()-transcriptTail)
	b := make([]byte, info.Size()-from)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return t
	}
	t.text = b[:n]
	for _, mark := range []string{`"subtype":"compact_boundary"`, `"type":"compacted"`} {
		if i := bytes.LastIndex(t.text, []byte(mark)); i >= 0 {
			t.text, t.compacted = t.text[i:], true
		}
	}
	return t
}

// holds reports whether the model has read a memory: by its ID, or verbatim.
func (t *transcript) holds(m *hippo.Memory) bool {
	if len(t.text) == 0 {
		return false
	}
	if bytes.Contains(t.text, []byte(m.ID.Short())) { // the whole UUID ends with it
		return true
	}
	q := quoted(m.Content)
	return q != "" && bytes.Contains(t.text, []byte(q))
}

// quoted returns the longest piece of a text that every JSON encoder writes as it is, if it is long
// enough to identify the text; else "".
func quoted(text string) (longest string) {
	escaped := func(r rune) bool { return r < ' ' || r >= 0x7f || strings.ContainsRune(`"\<>&'/`, r) }
	for part := range strings.FieldsFuncSeq(text, escaped) {
		if part = strings.TrimSpace(part); len(part) > len(longest) {
			longest = part
		}
	}
	if len(longest) < minQuoted {
		return ""
	}
	return longest[:min(len(longest), maxQuoted)]
}
