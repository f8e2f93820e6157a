package sharedstore

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// exact is the model of the other programs, all-MiniLM-L6-v2; near is the same one with weights of 8 bits, whose
// vectors are used where there are no exact ones.
const (
	exact = "minilm-l6-v2@"
	near  = "contextual@"
)

// modelFor returns the model whose vectors the table of the others may get.
func (p *projection) modelFor() string {
	for _, prefix := range []string{exact, near} {
		at := slices.IndexFunc(p.models, func(m driver.VectorModel) bool {
			return strings.HasPrefix(m.Name, prefix) && m.Dimension == p.layout.dimension
		})
		if at >= 0 {
			return p.models[at].Name
		}
	}
	return ""
}

// embed adds the vector of a memory to the table of vectors, if there is one of its present text.
func (p *projection) embed(row int64, m *hippo.Memory) error {
	model := p.modelFor()
	if model == "" || m.ID == p.changed {
		return nil
	}
	v, ok, err := sqlitestore.VectorOf(p.Tx, model, m.ID)
	if err != nil || !ok {
		return err
	}
	return p.putVector(row, m.Namespace, v.Values)
}

// putVector replaces the vector of a row.
func (p *projection) putVector(row int64, namespace string, values []float32) error {
	if err := p.Exec("DELETE FROM memory_embeddings WHERE rowid = ?", row); err != nil {
		return err
	}
	b := make([]byte, 0, 4*len(values))
	for _, f := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	if p.layout.partition {
		return p.Exec("INSERT INTO memory_embeddings (rowid, content_embedding, store) VALUES (?, ?, ?)", row, b, storeOf(namespace))
	}
	return p.Exec("INSERT INTO memory_embeddings (rowid, content_embedding) VALUES (?, ?)", row, b)
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
func (p *projection) vector(id hippo.ID) error {
	model := p.modelFor()
	if model == "" {
		return nil
	}
	hash, err := p.linkOf(id)
	if err != nil || hash == "" {
		return err
	}
	members, err := p.members(hash)
	if err != nil || len(members) == 0 || members[0].ID != id || members[0].Forgotten() {
		return err
	}
	rows, err := p.layout.rows(context.Background(), p, "content_hash = ? AND deleted_at IS NULL", hash)
	if err != nil || len(rows) == 0 {
		return err
	}
	if strings.HasPrefix(model, near) {
		there := false
		_, err := sqlitex.First(context.Background(), p, "SELECT count(*) FROM memory_embeddings_rowids WHERE rowid = ?", []any{rows[0].id}, &there)
		if err != nil || there {
			return err // that of the other program is exact
		}
	}
	return p.embed(rows[0].id, members[0])
}
