package wire

import (
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// CodeLink is code that a memory speaks of as JSON.
type CodeLink struct {
	Text string `json:"text"`
	// Of is what it means now; absent: it is gone.
	Of []api.CodeSymbol `json:"of,omitempty"`
	// State says what became of it since it was first seen for the memory; absent: nothing.
	State string `json:"state,omitempty"`
	Since string `json:"since,omitempty"`
}

// CodeLinksOf returns links as JSON.
func CodeLinksOf(list []api.CodeLink) []CodeLink {
	out := make([]CodeLink, len(list))
	for i := range list {
		l := &list[i]
		out[i] = CodeLink{Text: l.Text, Of: l.Of, State: string(l.State)}
		if !l.Since.IsZero() {
			out[i].Since = l.Since.UTC().Format(time.RFC3339)
		}
	}
	return out
}

// CodeLinkText returns a link as a line: "Pool.Wait: pool/pool.go:7 [changed since 2026-11-02]", with the day in a zone.
func CodeLinkText(l *api.CodeLink, zone *time.Location) string {
	var places []string
	for i := range l.Of {
		at := l.Of[i].Path
		if l.Of[i].First > 0 {
			at += fmt.Sprintf(":%d", l.Of[i].First)
		}
		if at != l.Text {
			places = append(places, at)
		}
	}
	text := l.Text
	if len(places) > 0 {
		text += ": " + strings.Join(places, ", ")
	}
	switch l.State {
	case api.LinkChanged, api.LinkGone:
		text += fmt.Sprintf(" [%s %s]", l.State, when.Date(l.Since, zone))
	case api.LinkUnknown:
		text += " [" + string(l.State) + "]"
	case api.LinkSame:
	}
	return termtext.Line(text)
}
