package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Outcome is what an import does with a memory.
type Outcome int8

// The outcomes.
const (
	// Added: it is new.
	Added Outcome = iota + 1
	// Updated: its source has changed it since it was imported, and nobody else has.
	Updated
	// Present: it is here already, by ID.
	Present
	// Kept: it is here with another text or other labels, and those stay, because somebody has changed them here since or because the version
	// of the other store is older. The history keeps that older version.
	Kept
	// Refused: its ID is in use by what the caller may not see, or cannot be read and is
	// perhaps that of another caller. Nothing is stored for it.
	Refused
	// Forgotten: it is here and was forgotten here, which stays so.
	Forgotten
	// Purged: it was deleted for good here, which stays so.
	Purged
)

// Batch is a part of an import: memories as another store or program held them. All must be valid and lie in the scope.
type Batch struct {
	// Calendar is that of the store they came from; see [Scoped.Import].
	Calendar driver.Calendar
	Memories []*hippo.Memory
	// Logged: what is added is also a part of the operation, so that one undo takes it back. Before counts, by project, what
	// earlier batches of the same operation have changed.
	Logged bool
	Before map[string]int
	// Again brings back what was forgotten or purged here, but not what [PurgedForGood] returns.
	Again bool
	// Joined: the memories come from another Hippo store. The import merges each with the version that this store holds: see [join.Two]. The
	// history keeps the versions that the import does not take.
	Joined bool
	// Placed: the caller chose the project of the memories. A memory that this store already holds stays in its project.
	Placed bool
	// Weights set how the votes of both stores count; only Joined uses them.
	Weights *rank.Weights
	// Released are memories that hold because some of the batch were forgotten here.
	Released map[hippo.ID]Released
	// dateless marks the memories that record neither when they were created nor when they changed. The import cannot merge them.
	dateless map[hippo.ID]bool
}

// importView reads the content of a store before an import.
type importView struct {
	get      func([]hippo.ID) ([]*hippo.Memory, error)
	versions func([]hippo.ID) ([]hippo.Version, error)
	day      hippo.Day
}

// importVersion is the key of the metadata of an imported memory that says which of its versions
// came from its source; absent for the first.
const importVersion = "import_version"

// ImportBatch is [Scoped.Import] of a batch.
func ImportBatch(ctx context.Context, in Scoped, b *Batch) (outcomes []Outcome, err error) {
	s := in.store
	purged, err := prepareImport(ctx, in, b)
	if err != nil {
		return nil, err
	}
	op, err := newOperation(in, hippo.VerbImport)
	if err != nil {
		return nil, err
	}
	err = write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		final, err := PurgedForGood(tx, hippo.IDsOf(b.Memories...)...)
		if err != nil {
			return err
		}
		for _, id := range final {
			purged[id] = true
		}
		here, err := adoptCalendar(s, tx, b.Calendar)
		if err != nil {
			return err
		}
		p, err := planImport(in, b, purged, &importView{
			func(ids []hippo.ID) ([]*hippo.Memory, error) { return tx.Get(ids...) },
			func(ids []hippo.ID) ([]hippo.Version, error) { return tx.Versions(driver.VersionQuery{Memories: ids}) },
			here.Day,
		})
		if err != nil {
			return err
		}
		if err := p.bindAgain(in, tx, b); err != nil {
			return err
		}
		outcomes = p.outcomes
		for i, m := range p.fresh {
			c := m.Clone() // the transaction may run again
			moveDays(c, b.Calendar.Day, here.Day)
			p.fresh[i] = c
		}
		return p.put(in, tx, op, b)
	})
	if err != nil {
		return nil, wrap("import", err)
	}
	return outcomes, nil
}

// put stores the new and the changed memories, and keeps the versions that the import does not take.
func (p *importPlan) put(in Scoped, tx driver.Tx, op hippo.Operation, b *Batch) error {
	s, before := in.store, map[string]int(nil)
	if b.Logged {
		for _, m := range p.fresh {
			p.changed = append(p.changed, change{after: m})
		}
		before = b.Before
	} else if err := tx.Put(p.fresh...); err != nil {
		return err
	}
	if err := putKeptAfter(s, tx, op, p.changed, before); err != nil {
		return err
	}
	return keepLost(in, tx, p.lost)
}

// PreviewImport returns the outcomes that [ImportBatch] would have, and stores nothing.
func PreviewImport(ctx context.Context, in Scoped, b *Batch) ([]Outcome, error) {
	purged, err := prepareImport(ctx, in, b)
	if err != nil {
		return nil, err
	}
	back := in.store.backend
	head, err := back.Head(ctx)
	if err != nil {
		return nil, wrap("import", err)
	}
	p, err := planImport(in, b, purged, &importView{
		func(ids []hippo.ID) ([]*hippo.Memory, error) { return back.Get(ctx, ids) },
		func(ids []hippo.ID) ([]hippo.Version, error) {
			return back.Versions(ctx, driver.VersionQuery{Memories: ids})
		},
		head.Calendar.Day,
	})
	return p.outcomes, wrap("import", err)
}

// prepareImport places and stamps the memories of a batch, and returns which of them were purged here.
func prepareImport(ctx context.Context, in Scoped, b *Batch) (purged map[hippo.ID]bool, err error) {
	if err := placeAll(in, b.Memories); err != nil {
		return nil, err
	}
	b.dateless = make(map[hippo.ID]bool)
	for _, m := range b.Memories {
		b.dateless[m.ID] = m.CreatedAt.IsZero() && m.UpdatedAt.IsZero()
	}
	if err := stampAll(in.store, b.Memories); err != nil {
		return nil, err
	}
	ids, err := purgedHere(ctx, in.store, b)
	purged = make(map[hippo.ID]bool, len(ids))
	for _, id := range ids {
		purged[id] = true
	}
	return purged, wrap("import", err)
}

// purgedHere returns the memories of a batch that were purged. If the caller brings them back, those remain that [PurgedForGood] returns.
func purgedHere(ctx context.Context, s *Store, b *Batch) (purged []hippo.ID, err error) {
	ids := hippo.IDsOf(b.Memories...)
	if !b.Again {
		return s.backend.Purged(ctx, ids)
	}
	r, ok := s.backend.(driver.Replicas)
	if !ok {
		return nil, nil
	}
	if _, seen, err := r.Replica(ctx); err != nil || len(seen) == 0 {
		return nil, err
	}
	return purgedForGood(ctx, s, ids)
}

func stampAll(s *Store, ms []*hippo.Memory) error {
	for i, m := range ms {
		if err := stampImported(s, m); err != nil {
			return at(err, i, len(ms))
		}
	}
	return nil
}

func stampImported(s *Store, m *hippo.Memory) error {
	now := s.now().UTC()
	created, updated, version, at := m.CreatedAt, m.UpdatedAt, m.Version, m.Importance.SetAt
	value := m.Importance.Value
	if err := stampNew(m, now); err != nil {
		return err
	}
	m.Importance.Value = value
	if !updated.IsZero() {
		m.UpdatedAt = updated
	}
	if !at.IsZero() {
		m.Importance.SetAt = at
	} else if !created.IsZero() {
		m.Importance.SetAt = created
	}
	m.Version = max(1, version)
	normalise(m)
	return m.Validate()
}

// importPlan is what an import of some memories would do.
type importPlan struct {
	outcomes []Outcome       // of each
	fresh    []*hippo.Memory // those to add
	changed  []change        // those to update
	lost     []lostVersion   // versions of another store that the import does not take
}

// planImport compares each memory with the one that v holds under its ID. If several have the same ID,
// the first counts. With [hippo.RightAdmin], a memory that cannot be read is replaced.
func planImport(s Scoped, b *Batch, purged map[hippo.ID]bool, v *importView) (p importPlan, err error) {
	ms := b.Memories
	here, err := v.get(hippo.IDsOf(ms...))
	if driver.Readable(err) != nil {
		return p, err
	}
	taken := make(map[hippo.ID]bool) // outside of the scope
	if bad, ok := errors.AsType[*api.UnreadableError](err); ok && !s.scope.Allows(hippo.RightAdmin) {
		for _, b := range bad.Problems {
			taken[b.ID] = true
		}
	}
	stored := make(map[hippo.ID]*hippo.Memory, len(here))
	for _, m := range here {
		stored[m.ID], taken[m.ID] = m, !s.scope.Sees(m)
	}
	j, err := newJoined(s.store, b, v, stored)
	if err != nil {
		return p, err
	}
	seen := make(map[hippo.ID]bool, len(ms))
	for _, m := range ms {
		outcome := Present
		switch {
		case taken[m.ID]:
			outcome = Refused
		case seen[m.ID]:
		case stored[m.ID] != nil:
			outcome = p.planChange(s.store, j, stored[m.ID], m)
		case purged[m.ID]:
			outcome = Purged
		default:
			outcome = Added
			p.fresh = append(p.fresh, m)
		}
		seen[m.ID] = true
		p.outcomes = append(p.outcomes, outcome)
	}
	return p, nil
}

// planChange plans the import of a memory that this store already holds.
func (p *importPlan) planChange(s *Store, j *joined, stored, m *hippo.Memory) Outcome {
	b := j.batch
	if b.Joined && !b.dateless[m.ID] {
		return j.plan(p, stored, m)
	}
	outcome := compareImported(stored, m, b.Again)
	if outcome == Updated {
		p.changed = append(p.changed, change{before: stored, after: updateImported(s, stored, m)})
	}
	return outcome
}

// compareImported compares a memory as it is stored with what a source has of it. Only what
// another program keeps, which has a URI, is updated: a file of this one may be older than the store.
func compareImported(stored, m *hippo.Memory, again bool) Outcome {
	foreign := stored.Source.Kind == hippo.SourceImport && fromElsewhere(m)
	same := stored.ContentHash == m.ContentHash && slices.Equal(stored.Situation, m.Situation) &&
		slices.Equal(stored.Tags, m.Tags) && stored.Type == m.Type
	switch {
	case stored.Forgotten() && !m.Forgotten() && (again || isWithdrawn(stored)):
		return Updated
	case stored.Forgotten() && !m.Forgotten():
		return Forgotten
	case same || stored.Forgotten():
		return Present
	case !foreign || stored.Version != importedVersion(stored):
		return Kept
	}
	return Updated
}

// fromElsewhere reports whether an imported memory is what another program keeps.
func fromElsewhere(m *hippo.Memory) bool {
	return m.Source.Kind == hippo.SourceImport && m.Source.URI != "" && m.Version <= 1
}

// importedVersion returns which version of a memory came from its source.
func importedVersion(m *hippo.Memory) int {
	version := 1
	if json.Unmarshal(m.Metadata[importVersion], &version) != nil {
		return 1
	}
	return version
}

// updateImported returns the stored memory with what its source has changed. Votes and accesses
// stay.
func updateImported(s *Store, stored, m *hippo.Memory) *hippo.Memory {
	c := stored.Clone()
	c.Content, c.ContentHash, c.Situation, c.Tags, c.Type = m.Content, m.ContentHash, m.Situation, m.Tags, m.Type
	c.EventTime = m.EventTime
	c.ValidFrom, c.ValidUntil = cmp.Or(m.ValidFrom, c.ValidFrom), cmp.Or(m.ValidUntil, c.ValidUntil) // what was said here stays
	c.ForgottenAt = time.Time{}
	c.Version++
	if c.UpdatedAt = m.UpdatedAt; !c.UpdatedAt.After(stored.UpdatedAt) {
		c.UpdatedAt = s.now().UTC()
	}
	if c.Metadata == nil {
		c.Metadata = make(map[string]json.RawMessage)
	}
	delete(c.Metadata, importWithdrawn)
	delete(c.Metadata, driver.LinksKey)
	maps.Copy(c.Metadata, m.Metadata)
	c.Metadata[importVersion] = json.RawMessage(strconv.Itoa(c.Version))
	normalise(c)
	return c
}

// adoptCalendar returns the calendar; if the store has none it is set to cal.
func adoptCalendar(s *Store, tx driver.Tx, cal driver.Calendar) (driver.Calendar, error) {
	here, err := tx.Calendar()
	if err != nil || here.Day > 0 {
		return here, err
	}
	if cal.Day == 0 {
		return advanceDay(s, tx)
	}
	cal.Zone = here.Zone
	return cal, tx.SetCalendar(cal)
}

// moveDays shifts the active days of m from a calendar at day from to one at
// day to. Days that would fall before day 1 become day 1.
func moveDays(m *hippo.Memory, from, to hippo.Day) {
	if from == 0 || len(m.Accesses) == 0 {
		m.Accesses = []hippo.Access{{Day: to, Count: 1}}
		m.Importance.SetDay = to
		for i := range m.Feedback {
			m.Feedback[i].Day = to
		}
		return
	}
	shift := to - from
	m.Importance.SetDay = min(to, max(1, m.Importance.SetDay+shift))
	moved := &hippo.Memory{}
	for _, a := range m.Accesses {
		moved.Touch(min(to, max(1, a.Day+shift)), a.Count)
	}
	m.Accesses = moved.Accesses
	if m.Untied != nil {
		m.Untied.SetDay = min(to, max(1, m.Untied.SetDay+shift))
	}
	for i := range m.Feedback {
		f := &m.Feedback[i]
		f.Day = min(to, max(1, f.Day+shift))
		if f.Former != nil {
			f.Former.SetDay, f.Former.Day = min(to, max(1, f.Former.SetDay+shift)), min(to, max(0, f.Former.Day+shift))
		}
	}
}
