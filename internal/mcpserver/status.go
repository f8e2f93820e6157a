package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

type statusInput struct{}

func (*statusInput) fields() []field { return nil }

// status is the structured content of hippo_status.
type status struct {
	Memories  int              `json:"memories"`
	Forgotten int              `json:"forgotten"`
	ActiveDay hippo.Day        `json:"active_day"`
	Store     string           `json:"store,omitempty"`
	Project   string           `json:"project,omitempty"`
	Version   string           `json:"version"`
	Ranker    hippo.Ranker     `json:"ranker"`
	Terms     int              `json:"terms"`
	Problems  []driver.Problem `json:"problems,omitempty"`

	Models   []engine.ModelStatus `json:"models,omitempty"`
	Degraded []string             `json:"degraded,omitempty"`
}

func (*statusInput) call(ctx context.Context, s *Server, e *engine.Engine) (reply, error) {
	st, err := e.Status(ctx)
	if err != nil {
		return reply{}, err
	}
	out := status{
		Memories: st.Memories, Forgotten: st.Forgotten, ActiveDay: st.Day, Store: s.Store, Version: s.Version,
		Project: s.project(ctx, ""), Ranker: st.Ranker, Terms: st.Index.Terms, Degraded: st.Degraded, Problems: st.Problems,
		Models: st.Models,
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %d forgotten, active day %d", insights(st.Memories), st.Forgotten, st.Day)
	for _, p := range st.Problems {
		fmt.Fprintf(&text, "\nunreadable: %v", p)
	}
	for _, d := range st.Degraded {
		fmt.Fprintf(&text, "\ndegraded: %s", d)
	}
	return reply{text: text.String(), data: out}, nil
}
