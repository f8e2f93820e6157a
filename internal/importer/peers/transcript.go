package peers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// window is the number of bytes of a transcript that are read at a time.
const window = 16 << 20

// openTranscript reads the transcript of a session of a coding agent; nil if the file is none.
func openTranscript(ctx context.Context, f file, text []byte) *formats.Source {
	complete := text
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		complete = text[:i+1] // the rest is perhaps cut off
	}
	t, err := transcript.Read(ctx, bytes.NewReader(complete), transcript.Options{})
	if err != nil || t.Client == "" { // perhaps a document that is cut off, or a long first line
		t, err = transcript.ReadFile(ctx, f.path, transcript.Options{MaxBytes: transcript.MaxRecord})
	}
	if err != nil || t.Client == "" || len(t.Turns) == 0 {
		return nil
	}
	return formats.NewSource(KindTranscript, func(out *formats.Out) error { return readTranscript(ctx, f, out) })
}

// readTranscript adds the turns of a transcript in which a person or the model says something.
// The folder of the session says which project they belong to, if it is still there.
func readTranscript(ctx context.Context, f file, out *formats.Out) error {
	talk := conversation{}
	projects := make(map[string]string)
	o := transcript.Options{MaxBytes: window}
	for {
		t, err := transcript.ReadFile(ctx, f.path, o)
		if err != nil {
			return fmt.Errorf("byte %d: %w", t.End, err)
		}
		o.Client = t.Client
		if talk.id == "" {
			talk.client, talk.id = string(t.Client), t.Session
		}
		if talk.id == "" {
			talk.id = f.name
			if f.options.URI != "" {
				talk.id = f.options.URI
			}
		}
		out.Skip("records that cannot be read", t.Malformed)
		out.Skip("records that are too long", t.TooLong)
		for i := range t.Turns {
			if err := addTurn(f, out, &talk, &t.Turns[i], t.Start, projects); err != nil {
				return err
			}
		}
		if !t.More || t.Document || t.End <= o.From {
			return nil
		}
		o.From = t.End
	}
}

// addTurn adds a turn. at is the offset of what was read, projects are those of the folders that
// were met.
func addTurn(f file, out *formats.Out, talk *conversation, t *transcript.Turn, at int64, projects map[string]string) error {
	text := strings.TrimSpace(t.Text)
	switch {
	case t.Sidechain:
		out.Skip("turns of subagents", 1)
		return nil
	case t.Role != transcript.RoleUser && t.Role != transcript.RoleAssistant || text == "":
		out.Skip("results of tools, and turns without text", 1)
		return nil
	}
	name := talk.id + "/" + t.ID
	if strings.HasPrefix(t.ID, "line-") {
		name = fmt.Sprintf("%s/%d/%s", talk.id, at, t.ID)
	}
	m := talk.turn(name, string(t.Role), text, t.Time)
	if _, known := projects[t.Cwd]; !known {
		projects[t.Cwd] = f.projectOf(t.Cwd)
	}
	m.Project = projects[t.Cwd]
	formats.SetMeta(m, "cwd", t.Cwd)
	formats.SetMeta(m, "git_branch", t.Branch)
	return out.Memory(fmt.Sprintf("turn %d", m.Source.Seq), m, nil)
}

// projectOf returns the project of the folder of a session.
func (f file) projectOf(folder string) string {
	if f.options.Project != "" || f.options.Identify == nil || folder == "" {
		return f.options.Project
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return ""
	}
	return f.options.Identify(folder)
}
