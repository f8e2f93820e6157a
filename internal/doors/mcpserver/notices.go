package mcpserver

import (
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// notices are what whoever set up the server should know, such as settings without effect. Clients hide what a server
// prints, so that the first answer says it, and hippo_status always.
type notices struct {
	texts []string
	said  atomic.Bool
}

// AddNotices adds notices; to be called before the server serves.
func AddNotices(s *Server, texts ...string) { s.notices.texts = append(s.notices.texts, texts...) }

// text returns the notices, each on a line of its own.
func (n *notices) text() string {
	var b strings.Builder
	for _, t := range n.texts {
		b.WriteString("\nnotice: " + termtext.Line(t))
	}
	return b.String()
}

// once adds the notices to the first answer: to its text, or behind it if programs read the text.
func (n *notices) once(r *mcp.CallToolResult) *mcp.CallToolResult {
	if len(n.texts) == 0 || r == nil || !n.said.CompareAndSwap(false, true) {
		return r
	}
	if text, ok := r.Content[0].(*mcp.TextContent); ok && r.StructuredContent == nil {
		text.Text += n.text()
	} else {
		r.Content = append(r.Content, &mcp.TextContent{Text: strings.TrimPrefix(n.text(), "\n")})
	}
	return r
}
