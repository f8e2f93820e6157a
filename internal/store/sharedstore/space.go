package sharedstore

import (
	"context"
	"strconv"

	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// space says whether the vectors of the other programs are of the model that this one shares with them. Their file has
// the dimension and not the model, and another one may have the same.
type space int32

const (
	unasked space = iota
	// undecided: no text has a vector of both sides yet.
	undecided
	shared
	// different: nothing can be compared with vectors of ours.
	different
)

const (
	// sampled is how many texts are compared.
	sampled = 16
	// alike is the cosine of two vectors of a text by one model. With the weights of 8 bits of the built-in one it was
	// .9977 at least over 500 texts, and between two models it is about 0.
	alike = .9
)

// cosines selects those of the vectors that both sides have of a text that another program stored.
func cosines(dimension int) string {
	return `SELECT 1 - vec_distance_cosine(substr(v.value, 1, ` + strconv.Itoa(4*dimension) + `), e.content_embedding)
		FROM model o CROSS JOIN vector v ON v.model = o.pk JOIN memory m ON m.pk = v.memory AND m.client = '` + client + `'
		JOIN shared_memory s ON s.memory = m.id JOIN memories r ON r.content_hash = s.hash AND r.deleted_at IS NULL
		JOIN memory_embeddings e ON e.rowid = r.id
		WHERE o.dimension = ? AND (o.name GLOB '` + exact + `*' OR o.name GLOB '` + near + `*') LIMIT ` + strconv.Itoa(sampled)
}

// spaceOf compares vectors of both sides. Those of both that are equal were computed here. Cost: up to a read of all
// vectors, if there are few of texts that others stored.
func spaceOf(ctx context.Context, q sqlitex.Queryer, dimension int) (space, error) {
	if dimension == 0 {
		return undecided, nil
	}
	same, other := 0, 0
	for rows, err := range sqlitex.Rows(ctx, q, cosines(dimension), dimension) {
		var cosine *float64 // NULL for a vector of zeros
		if err == nil {
			err = rows.Scan(&cosine)
		}
		switch {
		case err != nil:
			return undecided, err
		case cosine == nil:
		case *cosine < alike:
			other++
		default:
			same++
		}
	}
	switch {
	case other > same:
		return different, nil
	case same > 0:
		return shared, nil
	default:
		return undecided, nil
	}
}

// comparable reports whether the table of the others may get vectors of this program.
func (v *vectorTable) comparable() (bool, error) {
	known := &v.group.store.space
	if known.Load() == int32(unasked) {
		now, err := spaceOf(context.Background(), v, v.layout.dimension)
		if err != nil {
			return false, err
		}
		known.Store(int32(now))
	}
	return known.Load() != int32(different), nil
}

// compareAgain makes the next transaction compare, unless it was decided: a text of another program got a vector here.
func (v *vectorTable) compareAgain() {
	v.group.store.space.CompareAndSwap(int32(undecided), int32(unasked))
}
