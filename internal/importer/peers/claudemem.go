package peers

import (
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// readClaudeMem reads the database of claude-mem: observations and session_summaries become
// memories, user_prompts are left out.
func readClaudeMem(d *database, out *formats.Out) error {
	err := d.each("observations", func(r row) error {
		return out.Memory("observations row "+r.text("id"), claudeMemObservation(r), nil)
	})
	if err != nil {
		return err
	}
	err = d.each("session_summaries", func(r row) error { return addSummary(out, "session_summaries row "+r.text("id"), r) })
	if err != nil {
		return err
	}
	return d.each("user_prompts", func(row) error {
		out.Skip("prompts of the user", 1)
		return nil
	})
}

// readClaudeMemJSON reads the export of claude-mem.
func readClaudeMemJSON(f file, out *formats.Out) error {
	skip := func(what string) entryReader {
		return func(string, []byte, error) error {
			out.Skip(what, 1)
			return nil
		}
	}
	return readObjectFile(f, out, map[string]entryReader{
		"observations": eachRow(out, func(where string, r row) error { return out.Memory(where, claudeMemObservation(r), nil) }),
		"summaries":    eachRow(out, func(where string, r row) error { return addSummary(out, where, r) }),
		"prompts":      skip("prompts of the user"),
		"sessions":     skip("descriptions of sessions"),
	}, nil)
}

// eachRow returns a reader of the objects of an array.
func eachRow(out *formats.Out, fn func(where string, r row) error) entryReader {
	return func(where string, b []byte, err error) error {
		var r row
		if err == nil {
			r, err = objectRow(b)
		}
		if err != nil {
			return out.Memory(where, nil, err)
		}
		return fn(where, r)
	}
}

// claudeMemObservation returns the memory of an observation. Its parts, of which each may be
// missing, are the paragraphs of the content.
func claudeMemObservation(r row) *hippo.Memory {
	m := claudeMemMemory(r, "observation")
	m.Type = r.text("type")
	facts := r.texts("facts")
	for i, f := range facts {
		facts[i] = "- " + f
	}
	m.Content = paragraphs(r.text("title"), r.text("subtitle"), r.text("narrative", "text"), strings.Join(facts, "\n"))
	m.Tags = append(r.texts("concepts"), r.texts("concept")...)
	m.Situation = append(r.texts("files_modified"), r.texts("files_read")...)
	r.keep(m, claudeMemInternal()...)
	return m
}

// addSummary adds the memory of the summary of a session, if it says anything.
func addSummary(out *formats.Out, where string, r row) error {
	m := claudeMemMemory(r, "summary")
	m.Type = "summary"
	m.Content = paragraphs(r.text("request"), labelled("Investigated", r.text("investigated")), labelled("Learned", r.text("learned")),
		labelled("Completed", r.text("completed")), labelled("Next steps", r.text("next_steps")), labelled("Notes", r.text("notes")))
	if m.Content == "" {
		out.Skip("empty summaries", 1)
		return nil
	}
	m.Situation = append(r.texts("files_edited"), r.texts("files_read")...)
	r.keep(m, claudeMemInternal()...)
	return out.Memory(where, m, nil)
}

// claudeMemInternal lists columns that say nothing outside of claude-mem.
func claudeMemInternal() []string {
	return []string{
		"id", "content_hash", "discovery_tokens", "synced_at", "origin_device_id", "origin_local_id", "sync_rev", "created_at_epoch",
		"relevance_count", "prompt_number",
	}
}

func claudeMemMemory(r row, what string) *hippo.Memory {
	session := r.text("memory_session_id", "sdk_session_id")
	m := formats.Imported("claude-mem", what+"/"+session+"/"+r.text("id"))
	m.Project = r.text("merged_into_project", "project")
	m.Source.Session = session
	m.Source.Author = r.text("agent_type")
	if n, ok := r.number("prompt_number"); ok && n > 0 && n < 1<<31 {
		m.Source.Seq = int(n)
	}
	at := r.time("created_at_epoch", "created_at")
	r.used["created_at"] = true
	formats.SetTimes(m, at, at)
	return m
}

// paragraphs joins texts that are not blank.
func paragraphs(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n\n")
}

func labelled(label, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return label + ": " + strings.TrimSpace(text)
}
