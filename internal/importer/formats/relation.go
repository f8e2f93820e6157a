package formats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// RelationsName is the file of a directory that holds the relations that were
// declared: one [EncodeRelation] a line, in the order of [hippo.Relation.Compare].
const RelationsName = "relations.jsonl"

// relationsKey is the key of the relations from a memory in a line of an export. A program
// that does not know it keeps it, as it keeps all keys.
const relationsKey = "relations"

// relationJSON is a relation in a file; From is absent beside its memory.
type relationJSON struct {
	From       *hippo.ID `json:"from,omitempty"`
	To         hippo.ID  `json:"to"`
	Kind       string    `json:"kind"`
	Weight     float64   `json:"weight"`
	ValidFrom  time.Time `json:"valid_from,omitzero"`
	ValidUntil time.Time `json:"valid_until,omitzero"`
	Reinforced time.Time `json:"last_reinforced,omitzero"`
}

func jsonOf(r *hippo.Relation) relationJSON {
	return relationJSON{
		To: r.To, Kind: r.Kind, Weight: r.Weight,
		ValidFrom: r.ValidFrom.UTC(), ValidUntil: r.ValidUntil.UTC(), Reinforced: r.LastReinforced.UTC(),
	}
}

func (j *relationJSON) relation(from hippo.ID) hippo.Relation {
	r := hippo.Relation{From: from, To: j.To, Kind: j.Kind, Weight: j.Weight}
	for _, t := range []struct {
		to *time.Time
		at time.Time
	}{{&r.ValidFrom, j.ValidFrom}, {&r.ValidUntil, j.ValidUntil}, {&r.LastReinforced, j.Reinforced}} {
		if !t.at.IsZero() {
			*t.to = t.at.UTC().Truncate(time.Microsecond)
		}
	}
	return r
}

// EncodeRelation returns r as one line of JSON, without its end: from, to, kind,
// weight, and, where set, valid_from, valid_until and last_reinforced in RFC 3339.
// The error is [hippo.ErrInvalid]: a year outside 0 to 9999.
func EncodeRelation(r *hippo.Relation) ([]byte, error) {
	j := jsonOf(r)
	j.From = &r.From
	b, err := marshal(j)
	if err != nil {
		return nil, fmt.Errorf("%w: relation %s %s %s: %w", hippo.ErrInvalid, r.From, r.Kind, r.To, err)
	}
	return b, nil
}

// DecodeRelation decodes the output of [EncodeRelation]. Unknown keys are ignored. It does
// not validate. The error is [hippo.ErrCorrupt].
func DecodeRelation(b []byte) (hippo.Relation, error) {
	var j relationJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return hippo.Relation{}, broken(err)
	}
	if j.From == nil {
		return hippo.Relation{}, fmt.Errorf("%w: a relation must have the key from", hippo.ErrCorrupt)
	}
	return j.relation(*j.From), nil
}

// writeRelations writes those from a memory, if there are any.
func writeRelations(w *objectWriter, rs []hippo.Relation) {
	if len(rs) == 0 {
		return
	}
	list := make([]relationJSON, len(rs))
	for i := range rs {
		list[i] = jsonOf(&rs[i])
	}
	w.put(relationsKey, list)
}

// takeExtras moves what an exported memory has beside itself from its metadata to the source: its
// relations, and that it may hold a secret.
func (s *Source) takeExtras(m *hippo.Memory, err error) (*hippo.Memory, error) {
	if err == nil && string(m.Metadata[KeptPrefix+allowedKey]) == "true" {
		if s.allowed == nil {
			s.allowed = make(map[hippo.ID]bool)
		}
		s.allowed[m.ID] = true
		delete(m.Metadata, KeptPrefix+allowedKey)
	}
	return s.takeRelations(m, err)
}

// takeRelations moves the relations of an exported memory from its metadata to the source.
// If their key has another value, it stays metadata.
func (s *Source) takeRelations(m *hippo.Memory, err error) (*hippo.Memory, error) {
	if err != nil {
		return m, err
	}
	raw, ok := m.Metadata[KeptPrefix+relationsKey]
	var list []relationJSON
	if !ok || json.Unmarshal(raw, &list) != nil {
		return withoutEmpty(m), nil
	}
	rs := make([]hippo.Relation, len(list))
	for i := range list {
		rs[i] = list[i].relation(m.ID)
		if rs[i].Validate() != nil {
			return m, nil
		}
	}
	delete(m.Metadata, KeptPrefix+relationsKey)
	s.relations = append(s.relations, rs...)
	return withoutEmpty(m), nil
}

// withoutEmpty returns m with no metadata instead of empty metadata.
func withoutEmpty(m *hippo.Memory) *hippo.Memory {
	if len(m.Metadata) == 0 {
		m.Metadata = nil
	}
	return m
}

// Relations returns the relations that [Source.Entries] has read so far, ordered by From, To
// and Kind.
func (s *Source) Relations() []hippo.Relation {
	out := slices.SortedFunc(slices.Values(s.relations), func(a, b hippo.Relation) int { return a.Compare(&b) })
	return slices.CompactFunc(out, func(a, b hippo.Relation) bool { return a.Compare(&b) == 0 })
}

// RelationCount returns how many relations [Source.Entries] has read so far, repeated ones included.
func (s *Source) RelationCount() int { return len(s.relations) }

// readRelations reads a file of relations, and yields the errors of its lines.
func (s *Source) readRelations(path string, y yield) error {
	return withFile(path, func(b *bufio.Reader) error {
		in := newLines(b)
		return in.each(func(line []byte, err error) error {
			var r hippo.Relation
			if err == nil {
				r, err = ReadRelation(line)
			}
			switch {
			case err == nil:
				s.relations = append(s.relations, r)
			case !y(nil, fmt.Errorf("%s: line %d: %w", RelationsName, in.n, err)):
				return errStop
			}
			return nil
		})
	})
}

// ReadRelation is [DecodeRelation] for a relation that must be valid.
func ReadRelation(b []byte) (hippo.Relation, error) {
	r, err := DecodeRelation(b)
	if err == nil {
		err = r.Validate()
	}
	return r, err
}
