package wire

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/exchange/team"
)

// HeldReason is why a memory is held back.
type HeldReason = team.Reason

// SyncTeam is what this machine gives to a team and gets from it as JSON. HeldBack and Refused count memories by reason.
type SyncTeam struct {
	Projects []string            `json:"projects"`
	May      int                 `json:"may_leave"`
	Others   int                 `json:"of_other_projects"`
	Shown    int                 `json:"from_others"`
	HeldBack map[team.Reason]int `json:"held_back"`
	Refused  map[team.Reason]int `json:"refused"`
}

// syncTeamOf returns a state as JSON; nil for none.
func syncTeamOf(s *exchange.TeamStatus) *SyncTeam {
	if s == nil {
		return nil
	}
	return &SyncTeam{append([]string{}, s.Projects...), s.May, s.Others, s.Shown, s.HeldBack, s.Refused}
}

// SyncHeld lists what is held back from a team, and what was not taken over from it, as JSON.
type SyncHeld struct {
	Back    []HeldMemory `json:"held_back"`
	Refused []HeldMemory `json:"refused"`
}

// HeldMemory is a memory that is held back as JSON.
type HeldMemory struct {
	ID      hippo.ID    `json:"uuid"`
	Project string      `json:"project,omitempty"`
	Reason  team.Reason `json:"reason"`
	Detail  string      `json:"detail,omitempty"`
	By      string      `json:"by,omitempty"`
	Text    string      `json:"content"`
}

// HeldOf returns what is held back as JSON, without the secrets in it.
func HeldOf(list []team.Held) []HeldMemory {
	out := make([]HeldMemory, len(list))
	for i := range list {
		h := &list[i]
		out[i] = HeldMemory{h.ID, screen.Redact(h.Project), h.Reason, screen.Redact(h.Detail), h.By, screen.Redact(h.Text)}
	}
	return out
}

// Why says in words why a memory is held back.
func (h *HeldMemory) Why() string {
	text := WhyHeld(h.Reason)
	if h.Detail != "" {
		text += " (" + h.Detail + ")"
	}
	return text
}

// WhyHeld says a reason in words.
func WhyHeld(r team.Reason) string {
	words := map[team.Reason]string{
		team.OtherProject: "of another project", team.Received: "came from a team", team.Forgotten: "forgotten", team.Private: "private",
		team.Unconfirmed: "not confirmed", team.Secret: "may hold a secret", team.Instructions: "may give orders to its reader",
		team.Purged: "deleted for good from the team", team.Invalid: "cannot be stored", team.Changed: "changed here and by its author",
	}
	if text, ok := words[r]; ok {
		return text
	}
	return string(r)
}

// SyncReview is how the files of a folder differ from a team's memory as JSON.
type SyncReview struct {
	Files   int          `json:"files"`
	Written []string     `json:"written"`
	Removed []string     `json:"removed"`
	Left    []HeldMemory `json:"left_out,omitempty"`
}
