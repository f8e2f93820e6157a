package memoryservice

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

// A mistake note is a memory of type mistake with four lines.
const (
	mistakeType  = "mistake"
	failureCount = "failure_count" // in the metadata
	// sameMistake is the cosine from which on two notes are about the same mistake.
	sameMistake = 0.85
)

// noteParts are the arguments of a note and what its lines begin with.
func noteParts() [4][2]string {
	return [4][2]string{{"error_pattern", "Pattern: "}, {"context_signature", "Context: "}, {"incorrect_action", "Wrong: "}, {"correct_action", "Right: "}}
}

// noting returns the tools for mistake notes.
func noting() []d.Tool {
	return []d.Tool{
		{Name: "mistake_note_add", Description: "Note a mistake and what is right instead; a known one is counted.", Writes: true, Params: noteParams(verb.Required), Call: callNoteAdd},
		{
			Name: "mistake_note_search", Description: "Search mistake notes.", ReadOnly: true, Call: callNoteSearch,
			Params: verb.Table{{Name: "query", Field: "Text", Is: verb.Required, To: verb.New[string]}, count("limit", 100, 5)},
		},
		{
			Name: "mistake_note_update", Description: "Change a mistake note.", Writes: true, Destructive: true, Call: callNoteUpdate,
			Params: append(append(verb.Table{hashParam()}, noteParams(0)...), verb.Arg{Name: failureCount, Rules: verb.Between(1, 1_000_000), To: verb.New[int]}),
		},
		{Name: "mistake_note_delete", Description: "Forget a mistake note.", Writes: true, Destructive: true, Params: verb.Table{hashParam()}, Call: callNoteDelete},
	}
}

func noteParams(is verb.Trait) verb.Table {
	var out verb.Table
	for _, p := range noteParts() {
		out = append(out, verb.Arg{Name: p[0], Is: is, To: verb.New[string]})
	}
	return out
}

// noteText returns the text of a note. A line break in a part would begin another part.
func noteText(c *d.Call, old [4]string) (string, error) {
	lines := make([]string, 0, len(old))
	for i, p := range noteParts() {
		text := old[i]
		if c.Has(p[0]) {
			text = strings.Join(strings.Fields(c.Text(p[0])), " ")
		}
		if text == "" {
			return "", hippo.Fieldf(p[0], "must not be empty")
		}
		lines = append(lines, p[1]+text)
	}
	return strings.Join(lines, "\n"), nil
}

func callNoteAdd(ctx context.Context, c *d.Call) (d.Result, error) {
	text, err := noteText(c, [4]string{})
	if err != nil {
		return d.Result{}, err
	}
	known, err := knownNote(ctx, c, text)
	if err != nil {
		return d.Result{}, err
	}
	if known != nil {
		n := failures(known) + 1
		metadata := countOf(n)
		if _, err := memory.Modify(ctx, c.Memories, known.ID, api.Change{Metadata: &metadata, Vote: api.VoteUp}); err != nil {
			return d.Result{}, err
		}
		return d.Result{Text: fmt.Sprintf("Known mistake counted (hash: %s, failure_count: %d); the note stays as it is", d.HashOf(known), n), Count: 1}, nil
	}
	m, err := memory.Record(ctx, c.Memories, &hippo.Memory{
		Content: text, Type: mistakeType, Tags: []string{"mistake-note", "error-replay"}, Metadata: countOf(1), Project: c.Scope.Project, Namespace: c.Scope.Namespace,
		Source: hippo.Source{Kind: hippo.SourceAgent}, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
	})
	if err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: fmt.Sprintf("Mistake note stored successfully (hash: %s)", d.HashOf(m)), Count: 1}, nil
}

// knownNote returns the note about the same mistake; nil if there is none.
func knownNote(ctx context.Context, c *d.Call, text string) (*hippo.Memory, error) {
	question := strings.ToValidUTF8(text[:min(len(text), hippo.MaxQuery)], "")
	a, err := query.Search(ctx, c.Memories, hippo.Query{Text: question, Filter: hippo.Filter{Types: []string{mistakeType}}, NoTouch: true, Detail: hippo.Detail{Each: true, NoDistribution: true}})
	if err != nil {
		return nil, err
	}
	for i := range a.Hits {
		if h := &a.Hits[i]; h.Signals.Cosine >= sameMistake || h.Memory.ContentHash == hippo.HashContent(text) {
			return h.Memory, nil
		}
	}
	return nil, nil
}

func failures(m *hippo.Memory) int {
	n, err := strconv.Atoi(string(m.Metadata[failureCount]))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func countOf(n int) map[string]json.RawMessage {
	return map[string]json.RawMessage{failureCount: json.RawMessage(strconv.Itoa(n))}
}

func callNoteSearch(ctx context.Context, c *d.Call) (d.Result, error) {
	s := search{query: c.Text("query"), limit: c.Int("limit", 5)}
	s.Filter.Types = []string{mistakeType}
	r, err := s.run(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	if len(r.list) == 0 {
		return d.Result{Text: "No mistake notes found"}, nil
	}
	blocks := make([]string, len(r.list))
	for i := range r.list {
		blocks[i] = block(i+1, &r.list[i], false, false, c.Now) + fmt.Sprintf("\n   Failures: %d", failures(r.list[i].Memory))
	}
	return d.Result{Text: fit(fmt.Sprintf("Found %d mistake notes", len(blocks)), blocks, maxResponse), Count: len(blocks)}, nil
}

// findNote returns the note of the argument content_hash.
func findNote(ctx context.Context, c *d.Call) (*hippo.Memory, error) {
	m, err := findOne(ctx, c, "content_hash")
	if err == nil && m.Type != mistakeType {
		return nil, hippo.Fieldf("content_hash", "must be a mistake note; this memory has the type %q: use memory_update or memory_delete", m.Type)
	}
	return m, err
}

func callNoteUpdate(ctx context.Context, c *d.Call) (d.Result, error) {
	if len(c.Input) == 1 {
		return d.Result{}, hippo.Fieldf("error_pattern", "or another part of the note, or failure_count, must be given")
	}
	m, err := findNote(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	var old [4]string
	lines := strings.Split(m.Content, "\n")
	for i, p := range noteParts() {
		if i < len(lines) {
			old[i] = strings.TrimPrefix(lines[i], p[1])
		}
	}
	change := api.Change{Vote: api.VoteNone}
	if c.Has(failureCount) {
		metadata := countOf(c.Int(failureCount, 1))
		change.Metadata = &metadata
	}
	if !c.Has(failureCount) || len(c.Input) > 2 {
		text, err := noteText(c, old)
		if err != nil {
			return d.Result{}, err
		}
		change.Content = &text
	}
	if m, err = memory.Modify(ctx, c.Memories, m.ID, change); err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: fmt.Sprintf("Mistake note updated successfully (hash: %s)", d.HashOf(m)), Count: 1}, nil
}

func callNoteDelete(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := findNote(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return forget(ctx, c, []*hippo.Memory{m}, false)
}
