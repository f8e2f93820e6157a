package peers

import (
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// readEngram reads the database of engram: observations and the summaries of sessions become
// memories, user_prompts are left out.
func readEngram(d *database, out *formats.Out) error {
	err := d.each("observations", func(r row) error { return addEngram(out, "observations row "+r.text("id"), r) })
	if err != nil {
		return err
	}
	err = d.each("sessions", func(r row) error { return addEngramSession(out, "sessions row "+r.text("id"), r) })
	if err != nil {
		return err
	}
	return d.each("user_prompts", func(row) error {
		out.Skip("prompts of the user", 1)
		return nil
	})
}

// readEngramJSON reads the output of engram export.
func readEngramJSON(f file, out *formats.Out) error {
	return readObjectFile(f, out, map[string]entryReader{
		"observations": eachRow(out, func(where string, r row) error { return addEngram(out, where, r) }),
		"sessions":     eachRow(out, func(where string, r row) error { return addEngramSession(out, where, r) }),
		"prompts": func(string, []byte, error) error {
			out.Skip("prompts of the user", 1)
			return nil
		},
	}, nil)
}

// addEngram adds an observation. It is known by its topic, which engram revises in place, or
// else by its session and number.
func addEngram(out *formats.Out, where string, r row) error {
	if r.text("deleted_at") != "" {
		out.Skip("deleted memories", 1)
		return nil
	}
	session, project := r.text("session_id"), r.text("project")
	name := "observation/" + session + "/" + r.text("id")
	if topic := r.text("topic_key"); topic != "" {
		name = "topic/" + project + "/" + r.text("scope") + "/" + topic
	}
	m := formats.Imported("engram", name)
	m.Content = paragraphs(r.text("title"), r.text("content"))
	m.Type = r.text("type")
	m.Source.Session = session
	if r.text("scope") != "personal" {
		m.Project = project
	}
	formats.SetTimes(m, r.time("created_at"), r.time("updated_at"))
	formats.SetMeta(m, "topic_key", r.text("topic_key"))
	r.keep(m, "id", "normalized_hash", "sync_id", "last_seen_at", "revision_count", "duplicate_count")
	return out.Memory(where, m, nil)
}

// addEngramSession adds the summary of a session, if there is one.
func addEngramSession(out *formats.Out, where string, r row) error {
	summary := r.text("summary")
	if summary == "" {
		out.Skip("sessions without a summary", 1)
		return nil
	}
	id := r.text("id")
	m := formats.Imported("engram", "session/"+id)
	m.Content, m.Type, m.Project = summary, "summary", r.text("project")
	m.Source.Session = id
	formats.SetTimes(m, r.time("ended_at", "started_at"), r.time("ended_at"))
	r.keep(m)
	return out.Memory(where, m, nil)
}
