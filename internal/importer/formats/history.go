package formats

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
)

// HistoryFolder is the folder of a directory that holds what memories were before they were
// changed: a file <uuid>.jsonl for each memory, one [EncodeVersion] a line, the oldest first.
const HistoryFolder = "history"

// operationJSON is an operation in a file.
type operationJSON struct {
	Operation hippo.ID     `json:"operation"`
	At        time.Time    `json:"at"`
	Day       hippo.Day    `json:"day"`
	Verb      hippo.Verb   `json:"verb"`
	By        hippo.Source `json:"by,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	Undoes    *hippo.ID    `json:"undoes,omitempty"`
}

// versionJSON is a former version in a file, with its operation.
type versionJSON struct {
	operationJSON
	Memory    hippo.ID        `json:"memory"`
	Namespace string          `json:"namespace,omitempty"`
	Project   string          `json:"project,omitempty"`
	Of        int             `json:"of"`
	After     string          `json:"after"`
	Before    json.RawMessage `json:"before,omitempty"`
	Relations json.RawMessage `json:"relations,omitempty"`
}

// EncodeVersion returns v as one line of JSON, without its end. The former memory is the object
// of [EncodeInsight]; without one the operation recorded the memory, or, if after is all zeros,
// changed only its relations. Errors are those of [EncodeInsight].
func EncodeVersion(v *hippo.Version) ([]byte, error) {
	o := &v.Operation
	j := versionJSON{
		operationJSON: operationJSON{Operation: o.ID, At: o.At.UTC(), Day: o.Day, Verb: o.Verb, By: o.By, Reason: o.Reason},
		Memory:        v.ID, Namespace: v.Namespace, Project: v.Project, Of: v.Of, After: hex.EncodeToString(v.After[:]),
	}
	if !o.Undoes.IsZero() {
		j.Undoes = &o.Undoes
	}
	var err error
	if j.Before, err = EncodeFormer(v.Before); err != nil {
		return nil, err
	}
	if j.Relations, err = EncodeRelationChanges(v.Relations); err != nil {
		return nil, err
	}
	b, err := marshal(j)
	if err != nil {
		return nil, fmt.Errorf("%w: version of %s: %w", hippo.ErrInvalid, v.ID, err)
	}
	return b, nil
}

// EncodeFormer returns [EncodeInsight] of a memory on one line; nil for none.
func EncodeFormer(m *hippo.Memory) (json.RawMessage, error) {
	if m == nil {
		return nil, nil
	}
	b, err := EncodeInsight(m)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, b); err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrInvalid, err)
	}
	return line.Bytes(), nil
}

// ReadVersion reads a line of [EncodeVersion]. The error is [hippo.ErrCorrupt] or [hippo.ErrInvalid].
func ReadVersion(line []byte) (v hippo.Version, err error) {
	var j versionJSON
	if err := json.Unmarshal(line, &j); err != nil {
		return v, fmt.Errorf("%w: a former version: %w", hippo.ErrCorrupt, err)
	}
	after, err := hex.DecodeString(j.After)
	switch {
	case err != nil || len(after) != len(v.After):
		return v, hippo.Fieldf("after", "must be %d hexadecimal digits", 2*len(v.After))
	case j.Operation.IsZero() || j.Memory.IsZero():
		return v, hippo.Fieldf("operation", "and memory must be given")
	case j.Of < 1 || j.Of > maxCount || j.Day < 0 || j.Day > maxCount:
		return v, hippo.Fieldf("of", "must be a count from 1, and the day one from 0, got %d and %d", j.Of, j.Day)
	}
	v = hippo.Version{
		Operation: hippo.Operation{ID: j.Operation, At: j.At.UTC().Truncate(time.Microsecond), Day: j.Day, Verb: j.Verb, By: j.By, Reason: j.Reason},
		ID:        j.Memory, Namespace: j.Namespace, Project: j.Project, After: hippo.Hash(after), Of: j.Of,
	}
	if j.Undoes != nil {
		v.Operation.Undoes = *j.Undoes
	}
	if len(j.Before) > 0 {
		if v.Before, err = DecodeInsight(j.Before); err != nil {
			return v, err
		}
		if v.Before.ID != v.ID {
			return v, hippo.Fieldf("before", "must be of memory %s, is of %s", v.ID, v.Before.ID)
		}
	}
	v.Unchanged = v.Before == nil && v.After == hippo.Hash{}
	v.Relations, err = DecodeRelationChanges(v.ID, j.Relations)
	return v, err
}

// relationChangeJSON is a relation in a version; From is the memory.
type relationChangeJSON struct {
	relationJSON
	Added bool `json:"added,omitempty"`
}

// EncodeRelationChanges returns the relations of a version on one line; nil for none. They lead from its memory.
func EncodeRelationChanges(list []hippo.RelationChange) (json.RawMessage, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]relationChangeJSON, len(list))
	for i := range list {
		out[i] = relationChangeJSON{jsonOf(&list[i].Relation), list[i].Added}
	}
	b, err := marshal(out)
	if err != nil {
		return nil, fmt.Errorf("%w: relations of a version: %w", hippo.ErrInvalid, err)
	}
	return b, nil
}

// DecodeRelationChanges is the inverse of [EncodeRelationChanges]. The error is [hippo.ErrCorrupt] or [hippo.ErrInvalid].
func DecodeRelationChanges(from hippo.ID, b []byte) ([]hippo.RelationChange, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var list []relationChangeJSON
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%w: relations of a version: %w", hippo.ErrCorrupt, err)
	}
	out := make([]hippo.RelationChange, len(list))
	for i := range list {
		out[i] = hippo.RelationChange{Relation: list[i].relation(from), Added: list[i].Added}
		if err := out[i].Relation.Validate(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
