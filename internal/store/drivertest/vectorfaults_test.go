package drivertest_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func vectorFaults() map[string]fault {
	return map[string]fault{
		"numbers_are_of_half_precision":      {"vectors", embeds(func(v *driver.Vector) { eachValue(v, halve) })},
		"minus_zero_is_zero":                 {"vectors", embeds(func(v *driver.Vector) { eachValue(v, func(f float32) float32 { return f + 0 }) })},
		"hashes_have_63_bits":                {"vectors", embeds(func(v *driver.Vector) { v.Text &= math.MaxInt64 })},
		"vectors_are_sorted_by_id":           {"vectors", func(b driver.Backend) driver.Backend { return sortsVectors{b} }},
		"the_case_of_models_is_ignored":      {"vectors", func(b driver.Backend) driver.Backend { return foldsModels{b} }},
		"a_refused_put_is_kept_in_part":      {"vectors", func(b driver.Backend) driver.Backend { return putsInPart{b} }},
		"any_length_is_taken":                {"vectors", func(b driver.Backend) driver.Backend { return takesAnyLength{b} }},
		"vectors_wait_for_their_memory":      {"vectors", func(b driver.Backend) driver.Backend { return &hoards{Backend: b} }},
		"vectors_outlive_a_purge":            {"vectorlife", func(b driver.Backend) driver.Backend { return &hoards{Backend: b} }},
		"vectors_of_a_handle_are_stale":      {"handles", func(b driver.Backend) driver.Backend { return &hoards{Backend: b, first: true} }},
		"vectors_are_cached_and_shared":      {"vectors", func(b driver.Backend) driver.Backend { return &hoards{Backend: b, first: true} }},
		"forgotten_memories_have_no_vectors": {"vectorlife", func(b driver.Backend) driver.Backend { return hidesVectors{b} }},
		"a_put_of_vectors_makes_a_revision":  {"vectorlife", func(b driver.Backend) driver.Backend { return touches{b} }},
		"a_put_of_vectors_is_seen_in_parts":  {"vectorlife", func(b driver.Backend) driver.Backend { return putsOneByOne{b} }},
		"vectors_do_not_look_at_the_context": {"vectorlife", func(b driver.Backend) driver.Backend { return deafToVectors{b} }},
	}
}

func eachValue(v *driver.Vector, change func(float32) float32) {
	for i, f := range v.Values {
		v.Values[i] = change(f)
	}
}

func halve(f float32) float32 { return math.Float32frombits(math.Float32bits(f) &^ 0x1fff) }

// embeds makes a store that alters every vector it is asked to put.
func embeds(alter func(*driver.Vector)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return altersVectors{b, alter} }
}

type altersVectors struct {
	driver.Backend
	alter func(*driver.Vector)
}

func (f altersVectors) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	altered := slices.Clone(vs)
	for i := range altered {
		altered[i].Values = slices.Clone(vs[i].Values)
		f.alter(&altered[i])
	}
	return f.Backend.PutVectors(ctx, model, altered)
}

type sortsVectors struct{ driver.Backend }

func (f sortsVectors) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	vs, err := f.Backend.Vectors(ctx, model, ids)
	slices.SortFunc(vs, func(a, b driver.Vector) int { return a.ID.Compare(b.ID) })
	return vs, err
}

type foldsModels struct{ driver.Backend }

func (f foldsModels) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	return f.Backend.Vectors(ctx, strings.ToLower(model), ids)
}

func (f foldsModels) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	return f.Backend.PutVectors(ctx, strings.ToLower(model), vs)
}

// putsInPart keeps what came before the vector that is wrong.
type putsInPart struct{ driver.Backend }

func (f putsInPart) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	err := f.Backend.PutVectors(ctx, model, vs)
	for i := 0; err != nil && i < len(vs); i++ {
		if f.Backend.PutVectors(ctx, model, vs[i:i+1]) != nil {
			break
		}
	}
	return err
}

// takesAnyLength reports no error for vectors of another length.
type takesAnyLength struct{ driver.Backend }

func (f takesAnyLength) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := f.Backend.PutVectors(ctx, model, vs); !errors.Is(err, hippo.ErrInvalid) || driver.CheckVectors(model, vs) != nil {
		return err
	}
	return nil
}

// hoards keeps every vector that it was asked to put, for memories that have none
// in the store; with first set, it keeps those that it read, and answers with them.
type hoards struct {
	driver.Backend
	first bool
	mu    sync.Mutex
	known map[string]map[hippo.ID]driver.Vector
}

func (f *hoards) keep(model string, vs []driver.Vector) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = make(map[string]map[hippo.ID]driver.Vector)
	}
	if f.known[model] == nil {
		f.known[model] = make(map[hippo.ID]driver.Vector)
	}
	for _, v := range vs {
		f.known[model][v.ID] = v
	}
}

func (f *hoards) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	err := f.Backend.PutVectors(ctx, model, vs)
	if err == nil {
		f.keep(model, vs)
	}
	return err
}

func (f *hoards) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	ms, err := f.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []driver.Vector
	for _, m := range ms {
		vs, err := f.Backend.Vectors(ctx, model, []hippo.ID{m.ID})
		if err != nil {
			return nil, err
		}
		f.mu.Lock()
		kept, ok := f.known[model][m.ID]
		f.mu.Unlock()
		if ok && (f.first || len(vs) == 0) {
			vs = []driver.Vector{kept}
		}
		if f.first {
			f.keep(model, vs)
		}
		found = append(found, vs...)
	}
	return found, nil
}

type hidesVectors struct{ driver.Backend }

func (f hidesVectors) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	ms, err := f.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	var shown []hippo.ID
	for _, m := range hideForgotten(ms) {
		shown = append(shown, m.ID)
	}
	return f.Backend.Vectors(ctx, model, shown)
}

// touches puts the memory again with its vector.
type touches struct{ driver.Backend }

func (f touches) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := f.Backend.PutVectors(ctx, model, vs); err != nil {
		return err
	}
	return f.Write(ctx, driver.Lazy, func(tx driver.Tx) error {
		for _, v := range vs {
			ms, err := tx.Get(v.ID)
			if err != nil {
				return err
			}
			if err := tx.Put(ms...); err != nil {
				return err
			}
		}
		return nil
	})
}

type putsOneByOne struct{ driver.Backend }

func (f putsOneByOne) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	for i := range vs {
		if err := f.Backend.PutVectors(ctx, model, vs[i:i+1]); err != nil {
			return err
		}
		runtime.Gosched()
	}
	return nil
}

type deafToVectors struct{ driver.Backend }

func (f deafToVectors) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	return f.Backend.PutVectors(context.WithoutCancel(ctx), model, vs)
}
