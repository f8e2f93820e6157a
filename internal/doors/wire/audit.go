package wire

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// Audit is what is wrong with memories, as JSON.
type Audit struct {
	Memories int `json:"memories"`
	// Counts are the numbers of findings by problem.
	Counts map[api.Problem]int `json:"counts"`
	// Findings are the first of each problem.
	Findings []Finding `json:"findings"`
}

// Finding is a memory with a problem.
type Finding struct {
	Problem api.Problem `json:"problem"`
	UUID    hippo.ID    `json:"uuid"`
	Content string      `json:"content"`
	// Other supersedes or contradicts it, or says the same.
	Other        hippo.ID   `json:"other,omitzero"`
	OtherContent string     `json:"other_content,omitempty"`
	Reason       string     `json:"reason"`
	Remedy       api.Remedy `json:"remedy"`
	// Project is where it is to be moved.
	Project string `json:"project,omitempty"`
	// Command of the command line does what is proposed.
	Command string `json:"command"`
}

// AuditOf returns an audit as JSON.
func AuditOf(a *api.AuditReport) Audit {
	out := Audit{Memories: a.Memories, Counts: make(map[api.Problem]int), Findings: make([]Finding, len(a.Findings))}
	for _, p := range api.Problems() {
		out.Counts[p] = a.Counts[p]
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		out.Findings[i] = Finding{
			Problem: f.Problem, UUID: f.ID, Content: f.Text, Other: f.Other, OtherContent: f.OtherText, Reason: f.Reason, Remedy: f.Remedy, Project: f.Project,
			Command: RemedyCommand(&f.Finding, hippo.ID.String),
		}
	}
	return out
}

// RemedyCommand returns the command that does what a finding proposes, with IDs as name writes them.
func RemedyCommand(f *api.Finding, name func(hippo.ID) string) string {
	switch f.Remedy {
	case api.RemedySupersede:
		return "hippo modify " + name(f.Other) + " --supersedes " + name(f.ID)
	case api.RemedyMove:
		return "hippo project move " + name(f.ID) + " --to " + termtext.Argument(f.Project)
	case api.RemedyForget:
	}
	return "hippo forget " + name(f.ID)
}
