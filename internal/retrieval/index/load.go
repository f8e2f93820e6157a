package index

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// read takes a file into the empty index.
func (u *upkeep) read(path string, head driver.Head) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	h, r, size, err := readRoot(f)
	if err != nil {
		return err
	}
	if err := u.opts.misfit(&r, head.Store, head.Revision); err != nil {
		return err
	}
	data, mapped, err := u.file.mappings.add(f, 0, size)
	if err != nil {
		return err
	}
	parts, refs := make([]*part, len(r.Parts)), make(map[*segment]*savedPart)
	var wg sync.WaitGroup
	faults := make([]error, len(parts))
	for i := range parts {
		wg.Go(func() {
			faults[i] = u.guardUpdate(func() (err error) { parts[i], err = decodePart(data, mapped, &r.Parts[i], u.opts.Models); return err })
		})
	}
	wg.Wait()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	l, err := readLessons(u, data, &r)
	if err != nil {
		return err
	}
	for i, p := range parts {
		refs[p.segment] = newSavedPart(p, &r.Parts[i])
	}
	info, err := f.Stat()
	u.file.is(h.identity, refs, r.Revision, info)
	u.current.Store(&snapshot{store: r.Store, revision: r.Revision, used: r.Used, parts: parts, models: u.opts.Models, lessons: l})
	return err
}

// readLessons returns the feedback in the bytes of a file.
func readLessons(u *upkeep, file []byte, r *root) (l *lessons, err error) {
	if r.Feedback == (section{}) {
		return nil, nil
	}
	err = u.guardUpdate(func() error {
		var fault error
		known := []field{{set: func(b []byte) { l, fault = decodeLessons(b) }}}
		return errors.Join(decode(file, []section{r.Feedback}, known), fault)
	})
	return l, err
}

// decodePart returns a part over the bytes of a file. Only its segment and the tables of its
// vectors refer to them, which keep the mapping alive; all else is copied.
func decodePart(file []byte, mapped *mapping, r *partRoot, models []embed.Model) (*part, error) {
	s := &segment{docs: r.Docs, file: mapped}
	if err := decode(file, r.Static, s.sections()); err != nil {
		return nil, err
	}
	var m mutable
	if err := decode(file, r.Mutable, m.sections()); err != nil {
		return nil, err
	}
	s.columns.rows, s.columns.uses, s.columns.successors = m.rows, m.uses, m.successors
	if err := s.check(&m); err != nil {
		return nil, err
	}
	group(s)
	p := newPart(s, slices.Clone(m.live), slices.Clone(m.hidden), len(models))
	for k, model := range models {
		i := slices.IndexFunc(r.Vectors, func(v vectorRoot) bool { return v.Model == model })
		if i < 0 {
			continue
		}
		v, err := decodeVectors(file, mapped, &r.Vectors[i], r.Docs)
		if err != nil {
			return nil, err
		}
		p.vectors[k] = v
	}
	return p, nil
}

// check reports whether the sections of a segment belong together.
func (s *segment) check(m *mutable) error {
	c, l, n := &s.columns, &s.lexicon, s.docs
	sound := n > 0 && n <= maxDocs && len(c.rows) == n && len(c.extras) == n && len(c.content) == n && len(c.other) == n && len(c.said) == n &&
		len(c.sources) == n && (len(s.byID) == 0 || len(s.byID) == n) && len(m.live) == len(newDocSet(n)) && len(m.hidden) == len(m.live) &&
		s.situations.sound(n) && s.tokens.sound(n) && s.names.sound(s.names.len()) &&
		l.posts.sound(l.terms.len()) && l.rare.sound(l.terms.len()) && l.terms.sound(l.terms.len())
	if !sound {
		return fmt.Errorf("sections do not fit each other: %w", hippo.ErrCorrupt)
	}
	return nil
}

// sound reports whether there are n strings that cover the data.
func (b *blobs) sound(n int) bool {
	return b.len() == n && len(b.ends) > 0 && int(b.ends[n]) == len(b.data)
}

func decodeVectors(file []byte, mapped *mapping, r *vectorRoot, docs int) (vectors, error) {
	var p planes
	if err := decode(file, r.Sections, p.sections()); err != nil {
		return vectors{}, err
	}
	table, err := vector.Open(r.Model.Dimension, r.Rows, p.hi, p.lo, p.scales)
	if err != nil {
		return vectors{}, err
	}
	for _, doc := range p.docOf {
		if int(doc) >= docs {
			return vectors{}, fmt.Errorf("vectors: of document %d, there are %d: %w", doc, docs, hippo.ErrCorrupt)
		}
	}
	if len(p.docOf) != r.Rows {
		return vectors{}, fmt.Errorf("vectors: %d documents for %d rows: %w", len(p.docOf), r.Rows, hippo.ErrCorrupt)
	}
	v := vectors{table: *table, docOf: slices.Clone(p.docOf), file: mapped}
	v.index(docs)
	return v, nil
}
