package syncfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/importer/peers"
)

// The marks of the block, which are not those of the guidance that package setup writes into the
// same files. What the end mark holds, one line an item, is how a deleted line and one that was
// changed on both sides are noticed: its ref, its ID, and the hash of its text.
const (
	beginMark = "<!-- hippo:memories:begin"
	beginLine = beginMark + " -- lines below are memories: edit, add or delete them, then run hippo sync-file -->"
	endMark   = "<!-- hippo:memories:end"
	closing   = "-->"
)

// item is an item of the block.
type item struct {
	ref  string // that stands in its line; empty for a new one
	text string // as it is shown, without the marks of a list
}

// entry is what the block held of a memory when it was written.
type entry struct {
	ref, hash string
	id        hippo.ID
}

// parsed is a file split at its block.
type parsed struct {
	before, after string // byte for byte
	block         string // as it stands there
	there         bool
	items         []item
	entries       []entry
	eol           string // how the lines of the file end
}

// parse splits a file at its block. The error is a [*hippo.FieldError] for marks that are broken.
func parse(b []byte) (p parsed, err error) {
	text := string(b)
	if err := peers.Conflict(text); err != nil {
		return p, err
	}
	p.eol = "\n"
	if i := strings.Index(text, "\n"); i > 0 && text[i-1] == '\r' {
		p.eol = "\r\n"
	}
	from := lineOf(text, beginMark, 0)
	if from < 0 {
		if lineOf(text, endMark, 0) >= 0 {
			return p, hippo.Fieldf("file", "has the end of the block of hippo (%s) and no beginning: remove that line, or put %q above it", endMark, beginLine)
		}
		p.before = text
		return p, nil
	}
	to := lineOf(text, endMark, from)
	end := -1
	if to >= 0 {
		end = strings.Index(text[to:], closing)
	}
	if end < 0 {
		return p, hippo.Fieldf("file", "has the beginning of the block of hippo (%s) and no end: remove that line, or put \"%s %s\" below the block", beginMark, endMark, closing)
	}
	end += to + len(closing)
	if lineOf(text, beginMark, from+1) >= 0 || lineOf(text, endMark, end) >= 0 {
		return p, hippo.Fieldf("file", "has two blocks of hippo: remove one")
	}
	p.there = true
	p.before, p.block, p.after = text[:from], text[from:end], text[end:]
	lines := strings.Split(strings.ReplaceAll(text[from:to], "\r\n", "\n"), "\n")
	if i := slices.IndexFunc(lines, peers.ConflictMark); i >= 0 {
		return p, peers.UnresolvedAt(strings.Count(text[:from], "\n") + i + 1)
	}
	p.items = itemsOf(lines[1:])
	p.entries = entriesOf(strings.ReplaceAll(text[to:end], "\r\n", "\n"))
	return p, nil
}

// lineOf returns where the first line begins that starts with a mark, at or after from; -1 if
// there is none.
func lineOf(text, mark string, from int) int {
	for from <= len(text) {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			return -1
		}
		if i += from; i == 0 || text[i-1] == '\n' || i == len("\ufeff") && strings.HasPrefix(text, "\ufeff") {
			return i
		}
		from = i + 1
	}
	return -1
}

// itemsOf reads the items of a block: list items, and paragraphs that somebody wrote between them.
func itemsOf(lines []string) []item {
	var out []item
	open := false
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		text, isItem := strings.CutPrefix(line, "- ")
		if !isItem {
			text, isItem = strings.CutPrefix(line, "* ")
		}
		switch {
		case isItem:
			ref := ""
			text, ref = cutRef(strings.TrimPrefix(strings.TrimSpace(text), instructs))
			out = append(out, item{ref: ref, text: text})
			open = true
		case line == "" || line == "-" || line == "*":
			if open && line == "" {
				out[len(out)-1].text += "\n"
			}
		case open && strings.HasPrefix(line, "  "):
			out[len(out)-1].text += "\n" + line[2:]
		default:
			out = append(out, item{text: strings.TrimSpace(line)})
			open = true
		}
	}
	kept := out[:0]
	for _, it := range out {
		it.text = unescape(strings.TrimSpace(it.text))
		if it.text != "" {
			kept = append(kept, it)
		}
	}
	return kept
}

// cutRef splits the first line of an item into its text and its ref.
func cutRef(line string) (text, ref string) {
	i := strings.LastIndex(line, "<!-- ")
	if i < 0 {
		return line, ""
	}
	ref, rest, ok := strings.Cut(line[i+len("<!-- "):], " "+closing)
	if !ok || strings.ContainsAny(ref, " <>") {
		return line, ""
	}
	return strings.TrimSpace(strings.TrimSpace(line[:i]) + " " + strings.TrimSpace(rest)), ref
}

// entriesOf reads what the end mark holds. Lines that cannot be read are left out.
func entriesOf(text string) []entry {
	var out []entry
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		b, err := base64.RawURLEncoding.DecodeString(f[1])
		if err != nil || len(b) != len(hippo.ID{}) {
			continue
		}
		out = append(out, entry{ref: f[0], id: hippo.ID(b), hash: f[2]})
	}
	return out
}

// escape makes a text stand in the block without ending a comment or beginning one.
func escape(text string) string {
	return strings.NewReplacer("<!--", `<\!--`, "-->", `--\>`).Replace(text)
}

func unescape(text string) string {
	return strings.NewReplacer(`<\!--`, "<!--", `--\>`, "-->").Replace(text)
}

// instructs stands before a memory that contains instructions, and is no part of its text.
const instructs = "(" + wire.InstructionsNote + ")"

// maxShown is the size in bytes up to which a memory is shown whole.
const maxShown = 600

// more stands at the end of a memory that is shown in part.
const more = " […]"

// shown returns the text of a memory as the block has it, and how many bytes of its content that
// is. Agents read the file, so it is disarmed as what is injected into a session is.
func shown(m *hippo.Memory) (text string, used int) {
	content := strings.TrimSpace(strings.ReplaceAll(m.Content, "\r\n", "\n"))
	lines := strings.Split(content, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	content = strings.Join(lines, "\n")
	if len(content) <= maxShown {
		return readable(content), len(content)
	}
	cut := maxShown
	for cut > 0 && content[cut]&0xc0 == 0x80 {
		cut--
	}
	if i := strings.LastIndexAny(content[:cut], " \n"); i > maxShown/2 {
		cut = i
	}
	return readable(strings.TrimRight(content[:cut], " \n")) + more, cut
}

// readable returns a content as an agent may read it. A mark that it brings along is left out, so that none is read back.
func readable(content string) string {
	text, marked := strings.TrimSpace(termtext.Disarm(termtext.Text(content))), true
	for marked {
		text, marked = strings.CutPrefix(text, instructs)
		text = strings.TrimSpace(text)
	}
	return cmp.Or(text, wire.InstructionsNote)
}

// hashOf returns the hash of a text that the block shows, as it is read back.
func hashOf(text string) string {
	h := sha256.Sum256([]byte(unescape(escape(text))))
	return hex.EncodeToString(h[:4])
}

// refs gives the items of a block short refs: the end of their IDs, which is random, as long as
// it must be to tell them apart.
func refs(ms []*hippo.Memory) map[hippo.ID]string {
	out := make(map[hippo.ID]string, len(ms))
	for size := 6; ; size += 2 {
		seen := make(map[string]bool, len(ms))
		for _, m := range ms {
			s := hex.EncodeToString(m.ID[:])
			out[m.ID] = s[len(s)-min(size, len(s)):]
			seen[out[m.ID]] = true
		}
		if len(seen) == len(out) || size >= 32 {
			return out
		}
	}
}

// line returns the lines of an item.
func line(text, ref string) string {
	first, rest, multi := strings.Cut(escape(text), "\n")
	out := "- " + first
	if ref != "" {
		out += " <!-- " + ref + " " + closing
	}
	if !multi {
		return out
	}
	for l := range strings.SplitSeq(rest, "\n") {
		out += "\n"
		if l != "" {
			out += "  " + l
		}
	}
	return out
}

// render returns the block that shows memories, and the items that could not be stored.
func render(ms []*hippo.Memory, unsaved []item, eol string) string {
	var b bytes.Buffer
	b.WriteString(beginLine + "\n")
	short := refs(ms)
	for _, m := range ms {
		text, _ := shown(m)
		if len(screen.Instructions(m.Content)) > 0 {
			text = instructs + " " + text
		}
		b.WriteString(line(text, short[m.ID]) + "\n")
	}
	for _, it := range unsaved {
		b.WriteString(line(it.text, "") + "\n")
	}
	b.WriteString(endMark + "\n")
	for _, m := range ms {
		text, _ := shown(m)
		fmt.Fprintf(&b, "%s %s %s\n", short[m.ID], base64.RawURLEncoding.EncodeToString(m.ID[:]), hashOf(text))
	}
	b.WriteString(closing)
	return strings.ReplaceAll(b.String(), "\n", eol)
}

// file returns the content of a file with another block.
func (p *parsed) file(block string) []byte {
	if p.there {
		return []byte(p.before + block + p.after)
	}
	gap := ""
	switch {
	case p.before == "" || strings.HasSuffix(p.before, p.eol+p.eol):
	case strings.HasSuffix(p.before, "\n"):
		gap = p.eol
	default:
		gap = p.eol + p.eol
	}
	return []byte(p.before + gap + block + p.eol)
}
