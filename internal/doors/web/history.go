package web

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// historyBody lists the changes of a memory.
type historyBody struct {
	ID    hippo.ID
	Steps []step
}

// step is an operation that has changed the memory.
type step struct {
	Operation hippo.ID
	When      moment
	// What it did, who carried it out, and why.
	What, Who, Why string
	// Others is how many other memories it has changed.
	Others  int
	Changed []wire.Changed
	// Text is the content with deletions and insertions marked. It is empty if the content did not change.
	Text markup
}

func showHistory(v *visit) (page, error) {
	m, err := v.get(v.r.Context())
	if err != nil {
		return page{}, err
	}
	vs, err := memory.Versions(v.r.Context(), v.memories, api.Versions{Memory: m.ID})
	if err != nil {
		return page{}, err
	}
	b := historyBody{ID: m.ID}
	for i := range vs {
		b.Steps = append(b.Steps, stepOf(v, &vs[i], wire.FormerOf(vs[:i+1], m), wire.FormerOf(vs[:i], m)))
	}
	return page{Title: "History of " + wire.Clip(m.Content, 50), Content: historyContent(formsOf(v), b)}, nil
}

// stepOf returns the operation of a version, with what it made of the memory.
func stepOf(v *visit, x *hippo.Version, before, after *hippo.Memory) step {
	o := &x.Operation
	s := step{
		Operation: o.ID, When: v.moment(o.At), What: strings.ToUpper(string(o.Verb[:1])) + string(o.Verb[1:]), Who: cmp.Or(o.By.Author, o.By.Client, string(o.By.Kind)),
		Why: o.Reason, Others: max(0, x.Of-1),
	}
	if !o.Undoes.IsZero() {
		s.Why = strings.TrimSpace("takes back " + o.Undoes.Short() + " " + o.Reason)
	}
	for i := range x.Relations {
		r := &x.Relations[i]
		c := wire.Changed{Name: "relation", Before: "→ " + kindName(r.Relation.Kind) + " " + r.Relation.To.Short()}
		if r.Added {
			c.Before, c.After = "", c.Before
		}
		s.Changed = append(s.Changed, c)
	}
	if x.Unchanged {
		return s
	}
	s.Changed = append(s.Changed, wire.ChangedBetween(before, after, v.memories.Zone())...)
	if before != nil && after != nil && before.Content != after.Content {
		s.Text = differenceOf(before.Content, after.Content)
	}
	return s
}

// diffTime bounds the time that the differences of two texts take, after which they are coarser.
const diffTime = 200 * time.Millisecond

// differenceOf marks deletions and insertions in a text.
func differenceOf(before, after string) markup {
	d := diffmatchpatch.New()
	d.DiffTimeout = diffTime
	var b strings.Builder
	for _, part := range d.DiffCleanupSemantic(d.DiffMain(before, after, false)) {
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			fmt.Fprintf(&b, "<del>%s</del>", visible(part.Text))
		case diffmatchpatch.DiffInsert:
			fmt.Fprintf(&b, "<ins>%s</ins>", visible(part.Text))
		default:
			b.WriteString(string(visible(part.Text)))
		}
	}
	return markup(b.String())
}

// takeBackOperation undoes an operation of the history of a memory.
func takeBackOperation(v *visit) error {
	return v.change("Taken back.", func(by *engine.Memories, _ *hippo.Memory) error {
		id, err := hippo.ParseID(v.r.PostForm.Get("operation"))
		if err != nil {
			return hippo.Fieldf("operation", "must be the id of an operation")
		}
		_, err = memory.Undo(v.r.Context(), by, id)
		return err
	})
}
