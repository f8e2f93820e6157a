package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type statusInput struct{}

// Args implements [verb.Object].
func (*statusInput) Args() []verb.Arg { return nil }

func (*statusInput) call(ctx context.Context, s *session) (reply, error) {
	st, err := memory.Status(ctx, s.Memories)
	if err != nil {
		return reply{}, err
	}
	out := wire.StatusOf(&st)
	out.Store, out.Namespace, out.Project, out.Version = s.server.Store, s.scope.Namespace, s.scope.Project, s.server.Version
	var text strings.Builder
	archived := ""
	if out.Archived > 0 {
		archived = fmt.Sprintf(" (%d archived)", out.Archived)
	}
	fmt.Fprintf(&text, "%s%s, %d forgotten, active day %d", insights(out.Memories), archived, out.Forgotten, out.ActiveDay)
	if out.Store != "" {
		text.WriteString(", store " + termtext.Line(out.Store))
	}
	if out.Project != "" {
		text.WriteString("\nproject: " + termtext.Line(memory.ProjectTitles(s.Memories)(out.Project)))
	}
	if out.Unassigned > 0 {
		fmt.Fprintf(&text, "\n%d in project %q: nobody could tell where they belong", out.Unassigned, hippo.Unassigned)
	}
	if st.Store != nil {
		for _, p := range st.Store.Problems {
			fmt.Fprintf(&text, "\nproblem: %s", termtext.Line(p.String()))
		}
	}
	for i := range out.Models {
		if m := &out.Models[i]; m.Embedded < m.Memories && !m.Instant {
			fmt.Fprintf(&text, "\nmodel: %s", termtext.Line(m.Text()))
		}
	}
	for _, d := range out.Degraded {
		fmt.Fprintf(&text, "\ndegraded: %s", termtext.Line(d))
	}
	if s.server.notices.said.Load() { // else they follow the first answer
		text.WriteString(s.server.notices.text())
	}
	return reply{text: text.String(), data: out}, nil
}
