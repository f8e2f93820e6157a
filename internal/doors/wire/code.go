package wire

import (
	"math"

	"github.com/hippo-memory/hippo/api"
)

// CodeStatus is the state of the index of a root as JSON.
type CodeStatus struct {
	Root    string `json:"root"`
	Project string `json:"project,omitempty"`
	// Problem says why the index does not answer, or that it is damaged; absent: it answers.
	Problem string `json:"problem,omitempty"`
	api.CodeTotals
	Languages map[string]int `json:"languages"`
	Updated   string         `json:"updated,omitempty"`
	Bytes     int64          `json:"index_bytes"`
	Skipped   int            `json:"skipped"`
	Embedded  int            `json:"embedded"`
	// Encoder is absent if it takes no part, as in large trees.
	Encoder *CodeEncoder `json:"encoder,omitempty"`
}

// CodeEncoder says how far the vectors by the encoder are, as JSON.
type CodeEncoder struct {
	Encoded int `json:"embedded"`
	Chunks  int `json:"chunks"`
	// Running: a process makes them now. Left is the seconds that it will still take, or would; absent: not known.
	Running bool `json:"running"`
	Left    int  `json:"seconds_left,omitempty"`
}

// CodeStatusOf returns a state as JSON.
func CodeStatusOf(s *api.CodeStatus) CodeStatus {
	out := CodeStatus{
		Root: s.Root, Project: s.Project, Problem: s.Problem, CodeTotals: s.CodeTotals, Languages: s.Languages, Bytes: s.Bytes,
		Skipped: s.Skipped, Embedded: s.Embedded,
	}
	if e := &s.CodeVectors; e.Encodable > 0 {
		out.Encoder = &CodeEncoder{Encoded: e.Encoded, Chunks: e.Encodable, Running: e.Running, Left: int(math.Ceil(e.Left.Seconds()))}
	}
	if !s.Updated.IsZero() {
		out.Updated = s.Updated.Format("2006-01-02T15:04:05Z07:00")
	}
	return out
}
