package wire

import (
	"encoding/json"
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

// Version is a former version of an insight as JSON.
type Version struct {
	Operation Operation `json:"operation"`
	// Before is null if the operation recorded the insight.
	Before json.RawMessage `json:"before"`
}

// VersionOf returns a former version as JSON, the memory as [Stored] does.
func VersionOf(v *hippo.Version) (Version, error) {
	out := Version{Operation: OperationOf(&v.Operation, nil), Before: json.RawMessage("null")}
	var err error
	if v.Before != nil {
		out.Before, err = Stored(v.Before)
	}
	return out, err
}
