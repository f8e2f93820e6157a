package memoryservice

import (
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// maxResponse is the length of a result without max_response_chars, in bytes.
const maxResponse = 20_000

// line returns the text of a memory on one line, so that it cannot look like another part of the
// result, and marked if it could be taken for instructions.
func line(m *hippo.Memory, now time.Time) string {
	text := forModel(m.Content)
	if state := wire.StateWord(m.StateAt(now)); state != "" {
		text = "(" + state + ") " + text
	}
	if wire.Flags(m) != nil {
		text = "(" + wire.InstructionsNote + ") " + text
	}
	return text
}

// line is [line] of a result, marked if a fact says otherwise.
func (r *result) line(now time.Time) string {
	if r.contradicts == "" {
		return line(r.Memory, now)
	}
	return "(" + r.contradicts + ") " + line(r.Memory, now)
}

// forModel returns another text of a memory.
func forModel(s string) string { return termtext.Disarm(termtext.Line(s)) }

// writeResults writes the results of memory_search.
func writeResults(c *d.Call, s *search, r *results, mode string) string {
	if len(r.list)+len(r.facts) == 0 {
		return "No memories found for query: " + termtext.Line(s.query)
	}
	head := fmt.Sprintf("Found %d memories (mode: %s) for query: '%s'", len(r.list), mode, termtext.Line(s.query))
	if len(r.via) > 0 {
		head += " [fallback: " + strings.Join(r.via, "+") + "]"
	}
	blocks := make([]string, len(r.list))
	for i := range r.list {
		blocks[i] = block(i+1, &r.list[i], s.fallback, c.Flag("include_debug"), c.Now)
	}
	text := fit(head, blocks, c.Int("max_response_chars", maxResponse))
	if r.weak != "" {
		text += "\n\nWeak: these may not answer the question (" + termtext.Line(r.weak) + ")"
	}
	facts := make([]string, len(r.facts))
	for i := range r.facts {
		facts[i] = "\n" + knowledge.FactText(&r.facts[i], c.Now)
	}
	if len(facts) > 0 {
		text += "\n" + strings.Join(facts, "")
	}
	if c.Flag("summarize") {
		text += "\n\nSummarization unavailable: hippo calls no language model"
	}
	return text
}

func block(n int, r *result, via, debug bool, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s", n, r.line(now))
	if via {
		found := r.via
		if found == "" {
			found = "semantic"
		}
		fmt.Fprintf(&b, " (via %s)", found)
	}
	fmt.Fprintf(&b, "\n   Hash: %s\n   Created: %s", d.HashOf(r.Memory), iso(r.CreatedAt))
	if len(r.Tags) > 0 {
		fmt.Fprintf(&b, " [%s]", forModel(strings.Join(r.Tags, ", ")))
	}
	if debug {
		fmt.Fprintf(&b, "\n   Score: %.4f", r.score)
	}
	return b.String()
}

// fit joins the blocks that fit into a number of bytes, but at least the first, cut if need be.
func fit(head string, blocks []string, most int) string {
	text, shown := head, 0
	for _, b := range blocks {
		if len(text)+len(b)+1 > most && shown > 0 {
			break
		}
		if room := max(most-len(text), 200); shown == 0 && len(b) > room {
			b = cutMiddle(b, room)
		}
		text += "\n" + b
		shown++
	}
	if shown < len(blocks) {
		text = fmt.Sprintf("[!] RESPONSE TRUNCATED: Showing %d of %d results; raise max_response_chars or lower limit\n", shown, len(blocks)) + text
	}
	return text
}

// cutMiddle shortens the first line of a block; the others name the memory.
func cutMiddle(b string, room int) string {
	first, rest, _ := strings.Cut(b, "\n")
	keep := max(room-len(rest)-40, 100)
	if keep >= len(first) {
		return b
	}
	kept := strings.ToValidUTF8(first[:keep], "")
	return fmt.Sprintf("%s... +%d bytes\n%s", kept, len(first)-len(kept), rest)
}

// found is a result for programs.
type found struct {
	stored
	Score float64 `json:"similarity_score"`
	// ContradictedBy says which fact the text contradicts.
	ContradictedBy string `json:"contradicted_by,omitempty"`
}

// retrieved is the result of the older names of search for programs.
type retrieved struct {
	Memories []found `json:"memories"`
	Query    string  `json:"query"`
	Count    int     `json:"count"`
}

// writeOlder writes results in the oldest form of the text, with times in the zone of the user, and with the data that bridges read.
func writeOlder(c *d.Call, query string, r *results) d.Result {
	data := retrieved{Memories: make([]found, len(r.list)), Query: query, Count: len(r.list)}
	if len(r.list) == 0 {
		return d.Result{Text: "No matching memories found", Data: data}
	}
	blocks := make([]string, len(r.list))
	for i := range r.list {
		m := &r.list[i]
		data.Memories[i] = found{storedOf(m.Memory, c.Now), wire.Round(m.score, 4), m.contradicts}
		blocks[i] = fmt.Sprintf("Memory %d:\nTimestamp: %s\nContent: %s\nHash: %s\nRelevance Score: %.2f\nTags: %s\n---",
			i+1, when.Clock(m.CreatedAt, c.Zone()), m.line(c.Now), d.HashOf(m.Memory), m.score, forModel(strings.Join(m.Tags, ", ")))
	}
	return d.Result{Text: "Found the following memories:\n\n" + strings.Join(blocks, "\n"), Data: data, Count: len(r.list)}
}
