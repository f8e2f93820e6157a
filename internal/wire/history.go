package wire

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Operation is an operation as JSON.
type Operation struct {
	UUID      hippo.ID     `json:"uuid"`
	At        string       `json:"at"`
	ActiveDay hippo.Day    `json:"active_day"`
	Verb      hippo.Verb   `json:"verb"`
	By        hippo.Source `json:"by,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	Undoes    *hippo.ID    `json:"undoes,omitempty"`
	// Insights are those that it changed.
	Insights []hippo.ID `json:"insights,omitempty"`
}

// OperationOf returns an operation as JSON, with the memories that it changed.
func OperationOf(o *hippo.Operation, memories []hippo.ID) Operation {
	out := Operation{
		UUID: o.ID, At: o.At.Format(time.RFC3339Nano), ActiveDay: o.Day, Verb: o.Verb, By: o.By, Reason: o.Reason, Insights: memories,
	}
	if !o.Undoes.IsZero() {
		out.Undoes = &o.Undoes
	}
	return out
}
