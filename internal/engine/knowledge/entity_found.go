package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/entity"
	"github.com/hippo-memory/hippo/internal/retrieval/recall/hybrid"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// maxNaming is how many memories are read for what names an entity, the newest.
	maxNaming = 500
	// maxListed is how many memories are read for a list of found entities, the newest.
	maxListed = 2000
	// minNaming is how many memories must name what a list of found entities has: once is often no name.
	minNaming = 2
)

// naming is what memories name an entity.
type naming struct {
	// memories are the newest of them, the newest first.
	memories []*hippo.Memory
	// count is their number; about: there are more than were read, and it counts those with all words of a name.
	count int
	about bool
}

// namingAny returns the memories that have one of some keys as whole words, entities apart.
func namingAny(ctx context.Context, m *engine.Memories, keys []string) (*naming, error) {
	var found []retrieve.Key
	q := retrieve.Query{Scope: m.Scope, Filter: m.Scope.Narrow(hippo.Filter{Archived: true}), Insights: true}
	err := m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &q)
		if err != nil {
			return err
		}
		defer r.Close()
		reader, ok := r.Reader.(hybrid.Reader)
		if !ok {
			return fmt.Errorf("entities over this index: %w", hippo.ErrUnsupported)
		}
		var docs []retrieve.Doc
		for _, key := range keys {
			some, _ := reader.Mentions(key, math.MaxInt32)
			docs = append(docs, some...)
		}
		slices.Sort(docs)
		found = found[:0]
		for _, doc := range slices.Compact(docs) {
			found = append(found, reader.Key(doc))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &naming{about: len(found) > maxNaming}
	ids := make([]hippo.ID, 0, maxNaming)
	for _, k := range memory.FirstKeys(found, maxNaming, retrieve.Key.Compare) {
		ids = append(ids, k.ID)
	}
	ms, err := m.Scoped.Get(ctx, ids)
	for _, x := range ms {
		if entities.Says(foldedText(x), keys) {
			out.memories = append(out.memories, x)
		}
	}
	if out.count = len(out.memories); out.about {
		out.count = len(found)
	}
	return out, err
}

// foldedText returns the content and the situation of a memory as [entities.Says] reads it.
func foldedText(x *hippo.Memory) string {
	return strings.ToLower(bm25.Fold(x.Content + "\n" + strings.Join(x.Situation, "\n")))
}

// foundEntity returns the entity that texts name by a key, as most of them write it; nil if none does.
func foundEntity(ctx context.Context, m *engine.Memories, key string) (*api.Entity, error) {
	named, err := namingAny(ctx, m, []string{key})
	if err != nil {
		return nil, err
	}
	forms := make(map[form]int)
	for _, x := range named.memories {
		for _, f := range formsIn(x.Content) {
			if entities.NameKey(f.name) == key {
				forms[f]++
			}
		}
	}
	best := commonest(forms)
	if best.name == "" {
		return nil, nil
	}
	return &api.Entity{Entity: hippo.Entity{Name: best.name, Kind: best.kind}}, nil
}

// form is how a text writes the name of an entity, and the kind that its rule gives it.
type form struct{ name, kind string }

// formsIn returns the names of entities in a text: proper names, identifiers, paths, and subjects of statements.
func formsIn(text string) []form {
	var out []form
	for _, e := range entity.Of(text[:min(len(text), maxScanned)]) {
		if kind, ok := kindOf(e.Kind); ok && len(e.Text) <= hippo.MaxEntityName {
			out = append(out, form{strings.Join(strings.Fields(e.Text), " "), kind})
		}
	}
	for _, s := range entity.Subjects(text[:min(len(text), maxScanned)]) {
		if !slices.ContainsFunc(out, func(f form) bool { return entities.NameKey(f.name) == entities.NameKey(s) }) {
			out = append(out, form{name: s})
		}
	}
	return out
}

// maxScanned is how many bytes of a text are read for entities.
const maxScanned = 16 << 10

// kindOf returns the kind of an entity that a rule finds, and whether it is one. Of a proper name the rules know no kind.
func kindOf(k entity.Kind) (string, bool) {
	switch k {
	case entity.Name:
		return "", true
	case entity.Path:
		return "file", true
	case entity.Identifier, entity.URL, entity.Address, entity.Issue:
		return string(k), true
	default:
		return "", false
	}
}

// commonest returns the form that most texts have; the zero form if there is none.
func commonest(forms map[form]int) (best form) {
	most := 0
	for f, n := range forms {
		if n > most || n == most && (f.name < best.name || f.name == best.name && f.kind < best.kind) {
			best, most = f, n
		}
	}
	return best
}

// findListed fills a list with what texts name, without what has a record.
func findListed(ctx context.Context, m *engine.Memories, l *api.EntityList, names *entities.Names) error {
	keys, err := memory.KeysOf(ctx, m, api.List{Filter: hippo.Filter{}})
	if err != nil {
		return err
	}
	read := memory.FirstKeys(keys, maxListed, memory.ListKey.CompareKeys)
	l.Read, l.More = len(read), len(keys) > len(read)
	forms, memories := make(map[string]map[form]int), make(map[string]int)
	for some := range slices.Chunk(read, hippo.MaxIDs) {
		ids := make([]hippo.ID, len(some))
		for i, k := range some {
			ids[i] = k.ID
		}
		ms, err := m.Scoped.Get(ctx, ids)
		if err != nil {
			return err
		}
		for _, x := range ms {
			if !x.IsEntity() {
				count(forms, memories, x.Content)
			}
		}
	}
	for key, n := range memories {
		if n >= minNaming && names.None[key] == nil && len(names.Named(key)) == 0 {
			f := commonest(forms[key])
			l.Entities = append(l.Entities, api.ListedEntity{Entity: &api.Entity{Entity: hippo.Entity{Name: f.name, Kind: f.kind}}, Memories: n})
		}
	}
	slices.SortFunc(l.Entities, func(a, b api.ListedEntity) int {
		return cmp.Or(cmp.Compare(b.Memories, a.Memories), cmp.Compare(entities.NameKey(a.Name), entities.NameKey(b.Name)))
	})
	return nil
}

// count adds what one text names.
func count(forms map[string]map[form]int, memories map[string]int, text string) {
	here := make(map[string]bool)
	for _, f := range formsIn(text) {
		key := entities.NameKey(f.name)
		if key == "" {
			continue
		}
		if forms[key] == nil {
			forms[key] = make(map[form]int)
		}
		forms[key][f]++
		if !here[key] {
			here[key] = true
			memories[key]++
		}
	}
}
