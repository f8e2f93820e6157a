package driver

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// MaxDimension and MaxModelName bound what [Vectors] keeps.
const (
	// MaxDimension is the largest length of a vector; the smallest is 1.
	MaxDimension = 8192
	// MaxModelName is the largest length of a model's name in bytes; the
	// smallest is 1.
	MaxModelName = 200
)

// Vector is the embedding of the text of one memory by a model.
type Vector struct {
	ID hippo.ID
	// Text is a hash of the text that was embedded. It is opaque to the store; whoever
	// reads the vector decides by it whether the vector is still valid.
	Text uint64
	// Values are finite; a back end returns them bit by bit.
	Values []float32
}

// VectorModel is a model that has vectors in a store.
type VectorModel struct {
	Name string
	// Dimension is the length of each of its vectors.
	Dimension int
	// Count is how many memories have one.
	Count int
}

// Vectors is the part of a [Backend] that keeps vectors, one for each memory and
// model. They are derived data: no call here changes a revision or is seen by
// Changes, and losing them costs time only. A memory that is purged loses its
// vectors in the same transaction, also when it is put again in that one; a memory
// that is changed or forgotten keeps them.
type Vectors interface {
	// Vectors returns what is stored for these memories by one model, in the
	// order of ids. Missing ones are left out, an ID given twice is answered
	// twice, and a model that is unknown has nothing. The caller owns the result.
	Vectors(ctx context.Context, model string, ids []hippo.ID) ([]Vector, error)

	// PutVectors stores vectors of one model, all or none, and replaces earlier
	// ones of the same memory and model; of several for one memory the last
	// counts. Vectors of unknown memories are left out silently. The write is
	// [Lazy]. It does not keep vs.
	//
	// Errors: [hippo.ErrInvalid] for a name or a vector that breaks the limits, for
	// numbers that are not finite, and for a dimension other than that of the stored
	// vectors of the model, with both dimensions; [hippo.ErrReadOnly].
	PutVectors(ctx context.Context, model string, vs []Vector) error

	// VectorModels lists the models that have vectors, by name.
	VectorModels(ctx context.Context) ([]VectorModel, error)
}

// CheckVectors is for back ends: it returns [hippo.ErrInvalid] unless the model's
// name and the vectors keep the limits of [Vectors] and all have one dimension.
// Whether it is that of the stored ones is checked by [CheckDimension].
// Cost: some 0.4 ms for 1,000 vectors of 384 numbers.
func CheckVectors(model string, vs []Vector) error {
	if n := len(model); n < 1 || n > MaxModelName || !utf8.ValidString(model) {
		return hippo.Fieldf("model", "must be a name of 1 to %d bytes of UTF-8, is %.*q", MaxModelName, MaxModelName, model)
	}
	for i, v := range vs {
		if n := len(v.Values); n < 1 || n > MaxDimension {
			return hippo.Fieldf(fmt.Sprintf("vectors[%d]", i), "must have 1 to %d numbers, has %d", MaxDimension, n)
		}
		if err := CheckDimension(model, len(vs[0].Values), len(v.Values)); err != nil {
			return err
		}
		for _, f := range v.Values {
			if math.Float32bits(f)&exponent == exponent { // infinite, or not a number
				return hippo.Fieldf(fmt.Sprintf("vectors[%d]", i), "must have finite numbers, has %v", f)
			}
		}
	}
	return nil
}

// exponent is the exponent of a float32; all its bits are set in what is not finite.
const exponent = 0x7f800000

// CheckDimension is for back ends: it returns [hippo.ErrInvalid] with both dimensions
// unless the vectors of a model, of dimension has, and a new one of dimension got agree.
func CheckDimension(model string, has, got int) error {
	if has == got {
		return nil
	}
	return hippo.Fieldf("vectors", "must have %d numbers, as the others of model %q, have %d", has, model, got)
}
