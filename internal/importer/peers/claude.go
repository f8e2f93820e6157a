package peers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// claudeConversation is an element of the conversations.json of a Claude export.
type claudeConversation struct {
	UUID     string          `json:"uuid"`
	Name     string          `json:"name"`
	Messages []claudeMessage `json:"chat_messages"`
}

type claudeMessage struct {
	UUID      string `json:"uuid"`
	Text      string `json:"text"`
	Sender    string `json:"sender"`
	CreatedAt string `json:"created_at"`
	Content   []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// said returns what a message says, without thoughts and uses of tools. Older exports have the
// text alone.
func (m *claudeMessage) said() string {
	var texts []string
	for _, part := range m.Content {
		if part.Type == "text" && strings.TrimSpace(part.Text) != "" {
			texts = append(texts, part.Text)
		}
	}
	if len(texts) == 0 {
		return strings.TrimSpace(m.Text)
	}
	return strings.Join(texts, "\n")
}

// readClaudeConversations reads conversations.json: the messages become turns.
func readClaudeConversations(f file, out *formats.Out) error {
	return eachElement(f, func(where string, b []byte, err error) error {
		var c claudeConversation
		if err == nil {
			err = decode(b, &c)
		}
		if err != nil {
			return out.Memory(where, nil, err)
		}
		talk := conversation{client: "claude", id: c.UUID, title: c.Name}
		for _, msg := range c.Messages {
			text := msg.said()
			if text == "" {
				out.Skip("messages without text", 1)
				continue
			}
			speaker := msg.Sender
			if speaker == "human" {
				speaker = "user"
			}
			if err := out.Memory(where, talk.turn(msg.UUID, speaker, text, timeOf(msg.CreatedAt)), nil); err != nil {
				return err
			}
		}
		return nil
	})
}

func timeOf(s string) time.Time {
	t, _ := formats.ParseTime(s)
	return t
}

// readClaudeMemories reads memories.json: what Claude remembers of the user, a memory for each
// paragraph, with its bold title as the situation, and of each project.
func readClaudeMemories(f file, out *formats.Out) error {
	return eachElement(f, func(where string, b []byte, err error) error {
		var e struct {
			Conversations string            `json:"conversations_memory"`
			Projects      map[string]string `json:"project_memories"`
		}
		if err == nil {
			err = decode(b, &e)
		}
		if err != nil {
			return out.Memory(where, nil, err)
		}
		if err := addClaudeMemory(out, where, "", e.Conversations); err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(e.Projects)) {
			if err := addClaudeMemory(out, where, id, e.Projects[id]); err != nil {
				return err
			}
		}
		return nil
	})
}

// addClaudeMemory adds the paragraphs of what Claude remembers.
func addClaudeMemory(out *formats.Out, where, project, text string) error {
	title := ""
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		p = strings.TrimSpace(p)
		if p == "" {
			continue
		}
		if first, rest, _ := strings.Cut(p, "\n"); isTitle(first) {
			title = strings.Trim(first, "*# ")
			if p = strings.TrimSpace(rest); p == "" {
				continue
			}
		}
		m := formats.Imported("claude", "memory/"+project+"/"+p)
		m.Content, m.Type = p, "memory"
		if title != "" {
			m.Situation = []string{title}
		}
		if project != "" {
			m.Source.Session = "project " + project
			formats.SetMeta(m, "project_uuid", project)
		}
		if err := out.Memory(where, m, nil); err != nil {
			return err
		}
	}
	return nil
}

// isTitle reports whether a line is a heading, or bold as a whole.
func isTitle(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
}

// claudeProject is a project of a Claude export: an element of projects.json, or a file of the
// folder projects.
type claudeProject struct {
	UUID        string `json:"uuid"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Template    string `json:"prompt_template"`
	CreatedAt   string `json:"created_at"`
	UpdatedAt   string `json:"updated_at"`
	Docs        []struct {
		UUID     string `json:"uuid"`
		Filename string `json:"filename"`
		Content  string `json:"content"`
	} `json:"docs"`
}

// readClaudeProjects reads projects.json.
func readClaudeProjects(f file, out *formats.Out) error {
	return eachElement(f, func(where string, b []byte, err error) error { return addClaudeProject(out, where, b, err) })
}

// readClaudeProject reads the file of one project.
func readClaudeProject(f file, out *formats.Out) error {
	return f.read(func(r *bufio.Reader) error {
		b, err := io.ReadAll(io.LimitReader(r, maxValue+1))
		if err == nil && len(b) > maxValue {
			err = hippo.Fieldf("file", "must be at most %d bytes", maxValue)
		}
		if err != nil && !errors.Is(err, hippo.ErrInvalid) {
			return err
		}
		return addClaudeProject(out, "project", b, err)
	})
}

// addClaudeProject adds the description and the instructions of a project, and its documents in
// chunks.
func addClaudeProject(out *formats.Out, where string, b []byte, err error) error {
	var p claudeProject
	if err == nil {
		err = decode(b, &p)
	}
	if err != nil {
		return out.Memory(where, nil, err)
	}
	for _, part := range [][2]string{{"description", p.Description}, {"instructions", p.Template}} {
		if strings.TrimSpace(part[1]) == "" {
			continue
		}
		m := formats.Imported("claude", "project/"+p.UUID+"/"+part[0])
		m.Content, m.Type, m.Situation = part[1], part[0], []string{p.Name}
		formats.SetMeta(m, "project_uuid", p.UUID)
		formats.SetTimes(m, timeOf(p.CreatedAt), timeOf(p.UpdatedAt))
		if err := out.Memory(where, m, nil); err != nil {
			return err
		}
	}
	for _, d := range p.Docs {
		doc := document{client: "claude", uri: "project/" + p.UUID + "/" + d.Filename, title: d.Filename, created: timeOf(p.CreatedAt)}
		if err := doc.add(out, fmt.Sprintf("%s: %s", where, d.Filename), sections(d.Content)); err != nil {
			return err
		}
	}
	return nil
}
