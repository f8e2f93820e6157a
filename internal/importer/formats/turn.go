package formats

import (
	"strings"

	"github.com/hippo-memory/hippo"
)

// isTurn recognizes a turn of a conversation by its keys.
func isTurn(has func(string) bool) bool {
	return has("id") && has("conversation") && has("speaker") && has("text")
}

// turn reads one turn of a conversation:
//
//   - content is "SPEAKER: TEXT", or the text if there is no speaker;
//   - Source has the speaker as author, "CONVERSATION/SESSION" as session, the
//     place of the turn in its session from 1 as sequence, and the id as URI;
//   - the conversation is the project, so that one store can hold many and a
//     search can be kept to one;
//   - time is the event time, and the UUID is that of [importID] of the id.
//
// Other forms of the text and of the time are dropped; every other key that is not empty is
// kept in Metadata.
func (d *decoder) turn(o *object) (*hippo.Memory, error) {
	m := imported()
	conversation, session := o.name("conversation"), o.name("session")
	m.Project = conversation
	m.Source.Author = o.name("speaker")
	m.Source.Session = strings.TrimSuffix(conversation+"/"+session, "/")
	d.turns[m.Source.Session]++
	m.Source.Seq = d.turns[m.Source.Session]
	var text string
	o.require("text")
	o.read(&text, "a text", "text")
	if strings.TrimSpace(text) == "" {
		o.fail(hippo.Fieldf("text", "must not be empty"))
	}
	m.Content = text
	if m.Source.Author != "" {
		m.Content = m.Source.Author + ": " + text
	}
	m.ContentHash = hippo.HashContent(m.Content)
	m.EventTime = readMoment(o, "time")
	if name := o.name("id"); name != "" {
		setID(m, name)
	} else {
		o.fail(hippo.Fieldf("id", "must not be empty"))
	}
	o.first("raw_text")
	o.first("session_date_time")
	o.first("turn_date_time")
	keepRowRest(o, m)
	if o.err != nil {
		return nil, o.err
	}
	return m, nil
}
