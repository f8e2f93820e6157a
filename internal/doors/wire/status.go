package wire

import (
	"fmt"
	"math"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
)

// Location is where the memories of a client are.
type Location struct {
	Store     string `json:"store,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Project   string `json:"project,omitempty"`
}

// Counts are numbers of memories as JSON.
type Counts struct {
	Memories  int `json:"memories"`
	Forgotten int `json:"forgotten"`
	// Archived are those of Memories that lists leave out.
	Archived int `json:"archived,omitempty"`
	// Unassigned are those of Memories of which nobody could tell the project.
	Unassigned int `json:"unassigned,omitempty"`
}

// Status is the state of a memory as JSON.
type Status struct {
	Counts
	ActiveDay hippo.Day `json:"active_day"`
	Date      string    `json:"date,omitempty"`
	Location
	Version string       `json:"version"`
	Ranker  hippo.Ranker `json:"ranker"`
	// Problems are those of the store; absent without [hippo.RightAdmin].
	Models   []Model   `json:"models,omitempty"`
	Degraded []string  `json:"degraded,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Shared is the file of another program that holds the store; absent if it has a file of its own.
	Shared *Shared `json:"shared,omitempty"`
	Machine
}

// Machine is what only the command line knows: what happens on the machine beside the store.
type Machine struct {
	// Excluded is what is turned off in the current folder; absent if nothing is.
	Excluded *Excluded `json:"excluded,omitempty"`
	// Captures are the last captures of each client.
	Captures []ingest.Last `json:"captures,omitempty"`
	// Sync are the remotes with which the store syncs.
	Sync []SyncKnown `json:"sync,omitempty"`
	// Notices say which keys of config.toml and which environment variables have no effect.
	Notices []string `json:"notices,omitempty"`
	// Elsewhere says where other programs keep memories, and what brings them here.
	Elsewhere []string `json:"to_import,omitempty"`
}

// Excluded is the element of the setting exclude that turns off capture, and that which turns off injection; absent for none.
type Excluded struct {
	Capture   string `json:"capture,omitempty"`
	Injection string `json:"injection,omitempty"`
}

// Model is the state of a model that embeds.
type Model struct {
	ID string `json:"id"`
	// Embedded of Memories have a vector of the model.
	Embedded int  `json:"embedded"`
	Memories int  `json:"memories"`
	Instant  bool `json:"instant,omitempty"`
	// Serving says that queries use this one.
	Serving bool   `json:"serving"`
	Error   string `json:"error,omitempty"`
	// Rate is how many memories a second were embedded last, RemainingSeconds an estimate of the
	// time until all are; absent if unknown, or if all are embedded.
	Rate             float64 `json:"rate,omitempty"`
	RemainingSeconds int     `json:"remaining_seconds,omitempty"`
	// Paused is why nothing is embedded now; absent if it is.
	Paused string `json:"paused,omitempty"`
}

// Text returns the state of a model on one line.
func (m *Model) Text() string {
	text := m.ID
	if !m.Instant {
		text += fmt.Sprintf(", %d of %d embedded", m.Embedded, m.Memories)
	}
	if m.Rate > 0 {
		text += fmt.Sprintf(" at %.3g a second", m.Rate)
	}
	if m.RemainingSeconds > 0 {
		text += fmt.Sprintf(", about %v left", time.Duration(m.RemainingSeconds)*time.Second)
	}
	if m.Paused != "" {
		text += ", paused: " + m.Paused
	}
	if m.Serving {
		text += ", serving"
	}
	if m.Error != "" {
		text += ": " + m.Error
	}
	return text
}

// Problem is a piece of data that cannot be read.
type Problem struct {
	// ID is that of the memory; absent if it is none or is not known.
	ID   hippo.ID `json:"id,omitzero"`
	Path string   `json:"path"`
	// Was is where it was found, if it was moved aside.
	Was   string `json:"was,omitempty"`
	Error string `json:"error"`
}

// Shared is the state of the file of another program.
type Shared struct {
	// Program is whose file it is, as far as its tables tell, and Shape what it has.
	Program string   `json:"program"`
	Shape   []string `json:"shape"`
	// Backup is the copy from before the first write; absent if there is none.
	Backup string `json:"backup,omitempty"`
	// Rows are not deleted; Foreign of them are from another program.
	Rows    int `json:"rows"`
	Foreign int `json:"foreign"`
	Deleted int `json:"deleted"`
	Vectors int `json:"vectors"`
	Edges   int `json:"edges"`
	// Odd lists what a person may want to know.
	Odd []string `json:"odd,omitempty"`
}

// Text returns what a file holds on one line.
func (s *Shared) Text() string {
	return fmt.Sprintf("%d rows (%d of other programs), %d deleted, %d vectors, %d relations", s.Rows, s.Foreign, s.Deleted, s.Vectors, s.Edges)
}

// StatusOf returns a status as JSON. What only the front end knows is left to it: Store,
// Namespace, Project and Version.
func StatusOf(st *api.Status) Status {
	out := Status{
		Counts: Counts{Memories: st.Memories, Forgotten: st.Forgotten, Archived: st.Archived, Unassigned: st.Unassigned}, ActiveDay: st.Day, Date: st.Date, Ranker: st.Ranker, Degraded: st.Degraded,
	}
	for _, m := range st.Models {
		model := Model{
			ID: m.ID, Embedded: m.Embedded, Memories: m.Memories, Instant: m.Instant, Serving: m.Serving,
			Rate: math.Round(m.Rate*10) / 10, RemainingSeconds: int(math.Ceil(m.Remaining.Seconds())), Paused: m.Paused,
		}
		if m.Err != nil {
			model.Error = m.Err.Error()
		}
		out.Models = append(out.Models, model)
	}
	if st.Store != nil {
		out.Problems = ProblemsOf(st.Store.Problems)
		if h := st.Store.Host; h != nil {
			out.Shared = &Shared{h.Program, h.Shape, h.Backup, h.Rows, h.Foreign, h.Deleted, h.Vectors, h.Edges, h.Odd}
		}
	}
	return out
}

// ProblemsOf returns problems as JSON.
func ProblemsOf(list []api.StoreProblem) []Problem {
	out := make([]Problem, len(list))
	for i, p := range list {
		out[i] = Problem{ID: p.ID, Path: p.Path, Was: p.Was, Error: p.Err}
	}
	return out
}
