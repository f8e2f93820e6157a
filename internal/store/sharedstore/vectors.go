package sharedstore

import (
	"context"
	"encoding/binary"
	"math"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// exact is the model of the other programs, all-MiniLM-L6-v2; near is the same one with weights of 8 bits, whose
// vectors are used where there are no exact ones.
const (
	exact = "minilm-l6-v2@"
	near  = "contextual@"
)

// vectorTable is the table of vectors of the other programs, in a transaction that shows memories to them.
type vectorTable struct {
	*tx
	layout layout
	// models are those whose vectors are shown, the best one first; nil: they were not read yet.
	models []string
	// changed is the memory whose text was just changed: the vector that the store has of it is of the former text.
	changed hippo.ID
}

// suited returns the models whose vectors the table of the others may get, the best one first.
func (v *vectorTable) suited() ([]string, error) {
	if v.models != nil || v.layout.dimension == 0 {
		return v.models, nil
	}
	v.models = []string{}
	if ok, err := v.comparable(); err != nil || !ok {
		return nil, err
	}
	all, err := sqlitestore.Models(v.Tx)
	if err != nil {
		return nil, err
	}
	for _, prefix := range []string{exact, near} {
		for _, m := range all {
			if strings.HasPrefix(m.Name, prefix) && m.Dimension == v.layout.dimension {
				v.models = append(v.models, m.Name)
			}
		}
	}
	return v.models, nil
}

// vectorOf returns the vector of a memory for the table of the others; nil: there is none of its present text.
// isExact: it is one that they would compute.
func (v *vectorTable) vectorOf(id hippo.ID) (values []float32, isExact bool, err error) {
	if id == v.changed {
		return nil, false, nil
	}
	models, err := v.suited()
	for _, name := range models {
		found, ok, bad := sqlitestore.VectorOf(v.Tx, name, id)
		if ok || bad != nil {
			return found.Values, strings.HasPrefix(name, exact), bad
		}
	}
	return nil, false, err
}

// embed adds the vector of a memory to the table of vectors, if there is one.
func (v *vectorTable) embed(row int64, m *hippo.Memory) error {
	values, _, err := v.vectorOf(m.ID)
	if err != nil || values == nil {
		return err
	}
	return v.putVector(row, m.Namespace, values)
}

// putVector replaces the vector of a row.
func (v *vectorTable) putVector(row int64, namespace string, values []float32) error {
	if err := v.Exec("DELETE FROM memory_embeddings WHERE rowid = ?", row); err != nil {
		return err
	}
	b := make([]byte, 0, 4*len(values))
	for _, f := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	if v.layout.partition {
		return v.Exec("INSERT INTO memory_embeddings (rowid, content_embedding, store) VALUES (?, ?, ?)", row, b, storeOf(namespace))
	}
	return v.Exec("INSERT INTO memory_embeddings (rowid, content_embedding) VALUES (?, ?)", row, b)
}

// drop removes what other tables have of a row.
func (p *projection) drop(row int64, hash string) error {
	if p.layout.dimension > 0 {
		if err := p.Exec("DELETE FROM memory_embeddings WHERE rowid = ?", row); err != nil {
			return err
		}
	}
	if !p.layout.graph {
		return nil
	}
	for _, query := range []string{"DELETE FROM memory_graph WHERE source_hash = ?1 OR target_hash = ?1", "DELETE FROM shared_edge WHERE source = ?1 OR target = ?1"} {
		if err := p.Exec(query, hash); err != nil {
			return err
		}
	}
	return nil
}

// vector shows the vector of a memory to the others, if its row shows this memory.
func (v *vectorTable) vector(id hippo.ID) error {
	values, isExact, err := v.vectorOf(id)
	if err != nil || values == nil {
		return err
	}
	hash, err := v.linkOf(id)
	if err != nil || hash == "" {
		return err
	}
	members, err := v.members(hash)
	if err != nil || len(members) == 0 || members[0].ID != id || members[0].Forgotten() {
		return err
	}
	if members[0].Source.Client == client {
		defer v.compareAgain()
	}
	rows, err := v.layout.rows(context.Background(), v, "content_hash = ? AND deleted_at IS NULL", hash)
	if err != nil || len(rows) == 0 {
		return err
	}
	if !isExact {
		there := false
		_, err := sqlitex.First(context.Background(), v, "SELECT count(*) FROM memory_embeddings_rowids WHERE rowid = ?", []any{rows[0].id}, &there)
		if err != nil || there {
			return err // that of the other program is exact
		}
	}
	return v.putVector(rows[0].id, members[0].Namespace, values)
}
