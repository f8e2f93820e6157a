package codeindex

import (
	"context"
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// repeat finds the files with the same content as before of which the words lack chunks: they differed or could not
// be read when the words followed the catalog. Cost: a look at two numbers unless there are any.
func (u *update) repeat(ctx context.Context, p *parsed) error {
	if u.base == nil {
		return nil
	}
	err := u.former.words.CatchUp(ctx)
	if err == nil {
		p.repeated, err = lacking(u.former.words, u.base, p)
		if errors.Is(err, index.ErrDamaged) { // the words are rebuilt from the catalog
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("code index: %w", err)
	}
	p.changes += len(p.repeated)
	return nil
}

// lacking returns the files of which chunks are missing, but for those that the update changes.
func lacking(words *index.Index, base *catalog.Catalog, p *parsed) (found map[*catalog.Entry]bool, err error) {
	if words.Stats().Memories >= base.Totals().Chunks {
		return nil, nil
	}
	changed := make(map[string]bool, len(p.list)+len(p.deleted))
	for i := range p.list {
		changed[p.list[i].file.Path] = p.list[i].same == nil
	}
	for _, path := range p.deleted {
		changed[path] = true
	}
	found = make(map[*catalog.Entry]bool)
	err = words.Guard(func() error {
		for _, e := range base.Entries() {
			if changed[e.Path] {
				continue
			}
			f, chunks, err := e.Read()
			if err != nil {
				return err
			}
			if !words.Has(catalog.IDs(e.Path, f, chunks)) {
				found[e] = true
			}
		}
		return nil
	})
	return found, err
}
