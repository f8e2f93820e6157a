package index

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// saidKey identifies what a memory says, where and of which time: two memories of one namespace, project, author, type, event time and validity
// have the same one if their contents are equal up to blanks, a stop at the end, and capitals at the beginnings of words. 0: it is never the
// same as another, because it is an entity or a summary.
func saidKey(m *hippo.Memory) uint64 {
	if m.Type == hippo.EntityType || m.IsSummary() {
		return 0
	}
	h := make([]byte, 0, len(m.Content)+sha256.Size)
	h = appendPlain(h, m.Content)
	for _, s := range []string{m.Namespace, m.Project, m.Source.Author, m.Type} {
		h = append(append(h, 0), s...)
	}
	for _, t := range []time.Time{m.EventTime, m.ValidFrom, m.ValidUntil} {
		h = binary.LittleEndian.AppendUint64(h, uint64(micros(t)))
	}
	sum := sha256.Sum256(h)
	return max(1, binary.LittleEndian.Uint64(sum[:]))
}

// stops end a sentence without changing what it says, as a question mark would.
const stops = ".!…。！"

// appendPlain appends a text in the form in which [saidKey] compares it. Values such as "ABC" and "abc" stay apart.
func appendPlain(dst []byte, text string) []byte {
	said := strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(stops, r) })
	if said == "" {
		said = text
	}
	for word := range strings.FieldsSeq(said) {
		first, n := utf8.DecodeRuneInString(word)
		if !strings.ContainsFunc(word[n:], unicode.IsUpper) {
			first = unicode.ToLower(first)
		}
		dst = append(utf8.AppendRune(dst, first), word[n:]...)
		dst = append(dst, ' ')
	}
	return dst
}
