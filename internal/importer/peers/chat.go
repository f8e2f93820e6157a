package peers

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// turnImportance is that of a turn of a conversation: below what somebody chose to remember.
const turnImportance = 0.3

// typeTurn is the type of the turns of conversations.
const typeTurn = "conversation"

// conversation is a conversation whose turns become memories.
type conversation struct {
	client, id, title string
	seq               int
}

// turn returns the memory of what a speaker said: the content is "SPEAKER: TEXT", as for other
// conversations, the situation the title, and the session that of the conversation.
func (c *conversation) turn(id, speaker, text string, at time.Time) *hippo.Memory {
	c.seq++
	if id == "" {
		id = c.id + "/" + strconv.Itoa(c.seq)
	}
	m := formats.Imported(c.client, "turn/"+id)
	m.Content = speaker + ": " + strings.TrimSpace(text)
	m.Type = typeTurn
	m.Source.Author, m.Source.Session, m.Source.Seq = speaker, c.id, c.seq
	m.Importance = hippo.Importance{Base: turnImportance, Value: turnImportance}
	if c.title != "" {
		m.Situation = []string{c.title}
	}
	m.CreatedAt, m.EventTime = at, at
	return m
}

// chatGPTConversation is an element of the conversations.json of a ChatGPT export. The mapping is a
// tree of messages; the conversation as shown is the path to CurrentNode.
type chatGPTConversation struct {
	ID             string  `json:"id"`
	ConversationID string  `json:"conversation_id"`
	Title          string  `json:"title"`
	CreateTime     float64 `json:"create_time"`
	CurrentNode    string  `json:"current_node"`
	Mapping        map[string]struct {
		Parent  string          `json:"parent"`
		Message *chatGPTMessage `json:"message"`
	} `json:"mapping"`
}

type chatGPTMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
	} `json:"author"`
	CreateTime float64 `json:"create_time"`
	Recipient  string  `json:"recipient"`
	Content    struct {
		Type             string            `json:"content_type"`
		Parts            []json.RawMessage `json:"parts"`
		Text             string            `json:"text"`
		UserProfile      string            `json:"user_profile"`
		UserInstructions string            `json:"user_instructions"`
		ModelSetContext  string            `json:"model_set_context"`
	} `json:"content"`
	Metadata struct {
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// readChatGPT reads conversations.json: what ChatGPT was asked to remember, its saved memories
// and the user's instructions become memories, the conversations become turns.
func readChatGPT(f file, out *formats.Out) error {
	saved := make(map[string]bool)
	return eachElement(f, func(where string, b []byte, err error) error {
		var c chatGPTConversation
		if err == nil {
			err = decode(b, &c)
		}
		if err != nil {
			return out.Memory(where, nil, err)
		}
		return c.add(where, out, saved)
	})
}

// decode decodes a value of JSON.
func decode(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrCorrupt, err)
	}
	return nil
}

// add adds the memories and turns of a conversation. saved are the names of those that other
// conversations repeat.
func (c *chatGPTConversation) add(where string, out *formats.Out, saved map[string]bool) error {
	id := c.ConversationID
	if id == "" {
		id = c.ID
	}
	talk := conversation{client: "chatgpt", id: id, title: c.Title}
	for _, msg := range c.path() {
		at := unixTime(msg.CreateTime, c.CreateTime)
		memories := msg.memories()
		for _, text := range memories {
			m := formats.Imported("chatgpt", "memory/"+text)
			m.Content, m.Type, m.CreatedAt = text, "preference", at
			if saved[text] {
				continue
			}
			saved[text] = true
			if err := out.Memory(where, m, nil); err != nil {
				return err
			}
		}
		speaker, text := msg.said()
		if text == "" && len(memories) > 0 {
			continue
		}
		if text == "" {
			out.Skip("messages without text, of tools, and of the system", 1)
			continue
		}
		if err := out.Memory(where, talk.turn(msg.ID, speaker, text, at), nil); err != nil {
			return err
		}
	}
	return nil
}

// path returns the messages from the first one to the current node; all of them in no order
// that the tree gives if there is no current node.
func (c *chatGPTConversation) path() []*chatGPTMessage {
	var out []*chatGPTMessage
	seen := make(map[string]bool)
	at := c.CurrentNode
	if _, ok := c.Mapping[at]; !ok {
		at = c.lastNode()
	}
	for node, ok := c.Mapping[at]; ok && !seen[at]; node, ok = c.Mapping[at] {
		seen[at] = true
		if node.Message != nil {
			out = append(out, node.Message)
		}
		at = node.Parent
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// lastNode returns the node of the newest message.
func (c *chatGPTConversation) lastNode() (last string) {
	newest := 0.0
	for id, node := range c.Mapping {
		t := 0.0
		if node.Message != nil {
			t = node.Message.CreateTime
		}
		if last == "" || t > newest || t == newest && id > last {
			last, newest = id, t
		}
	}
	return last
}

// unixTime returns the first of the times that is set.
func unixTime(seconds ...float64) time.Time {
	for _, s := range seconds {
		if t, ok := formats.ParseTime(strconv.FormatFloat(s, 'f', -1, 64)); ok && s > 0 {
			return t
		}
	}
	return time.Time{}
}

// memories returns what a message asks to remember: one that is sent to the tool bio, the
// instructions of the user, and the list of saved memories, "1. [2024-04-26]. Loves dogs.".
func (m *chatGPTMessage) memories() []string {
	var out []string
	if m.Recipient == "bio" {
		out = append(out, strings.TrimSpace(m.text()))
	}
	out = append(out, strings.TrimSpace(m.Content.UserProfile), strings.TrimSpace(m.Content.UserInstructions))
	for line := range strings.Lines(m.Content.ModelSetContext) {
		_, text, ok := strings.Cut(line, "]. ")
		if !ok {
			_, text, _ = strings.Cut(line, ". ")
		}
		out = append(out, strings.TrimSpace(text))
	}
	kept := out[:0]
	for _, text := range out {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return kept
}

// said returns who said a message and its text; empty for one that no person or model said to
// the other.
func (m *chatGPTMessage) said() (speaker, text string) {
	role := m.Author.Role
	shown := m.Content.Type == "text" || m.Content.Type == "multimodal_text" || m.Content.Type == ""
	if role != "user" && role != "assistant" || !shown || m.Metadata.Hidden || m.Recipient != "" && m.Recipient != "all" {
		return "", ""
	}
	return role, strings.TrimSpace(m.text())
}

// text returns the parts of a message that are texts.
func (m *chatGPTMessage) text() string {
	var texts []string
	for _, p := range m.Content.Parts {
		var s string
		if json.Unmarshal(p, &s) == nil {
			texts = append(texts, s)
		}
	}
	if len(texts) == 0 {
		return m.Content.Text
	}
	return strings.Join(texts, "\n")
}
