package store

import (
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/join"
)

// joined merges the memories of an import from another Hippo store with the versions that this store holds.
type joined struct {
	store *Store
	batch *Batch
	view  *importView
	// former holds the earlier versions of each memory in this store; others holds the versions that an import did not take.
	former, others map[hippo.ID][]*hippo.Memory
}

// Two operations keep a version that an import does not take. These are their reasons.
const (
	reasonTheirs = "the version of the file that was imported"
	reasonOurs   = "the version here is the later one"
)

// lostVersion holds a version that an import does not take, or takes only in part, and that this store does not know yet.
type lostVersion struct{ kept, lost *hippo.Memory }

// newJoined reads the history of those memories that differ between the batch and this store.
func newJoined(s *Store, b *Batch, v *importView, stored map[hippo.ID]*hippo.Memory) (*joined, error) {
	j := &joined{s, b, v, make(map[hippo.ID][]*hippo.Memory), make(map[hippo.ID][]*hippo.Memory)}
	var differ []hippo.ID
	for _, m := range b.Memories {
		if here := stored[m.ID]; b.Joined && here != nil && !join.Same(here, m) {
			differ = append(differ, m.ID)
		}
	}
	if len(differ) == 0 {
		return j, nil
	}
	vs, err := v.versions(differ)
	for i := range vs {
		to := j.former
		if op := &vs[i].Operation; op.Verb == hippo.VerbImport && op.Reason == reasonOurs {
			to = j.others
		}
		if vs[i].Before != nil {
			to[vs[i].ID] = append(to[vs[i].ID], vs[i].Before)
		}
	}
	return j, driver.Readable(err)
}

// version returns the batch's version of a memory with its active days moved to this store's calendar. It takes the namespace from the stored
// memory, and also the project if the caller chose one.
func (j *joined) version(here, m *hippo.Memory) *hippo.Memory {
	c := m.Clone()
	moveDays(c, j.batch.Calendar.Day, j.view.day)
	c.Namespace = here.Namespace
	if j.batch.Placed {
		c.Project = here.Project
	}
	return c
}

// plan merges a memory that this store already holds and adds the change to the plan.
func (j *joined) plan(p *importPlan, here, m *hippo.Memory) Outcome {
	theirs := j.version(here, m)
	after := here
	if !j.knows(here, theirs) {
		after = join.Two(here, theirs, j.batch.Weights)
	}
	if j.batch.Again && after.Forgotten() && !theirs.Forgotten() {
		after = after.Clone()
		after.ForgottenAt, after.UpdatedAt = time.Time{}, j.store.now().UTC()
	}
	lost := join.Loses(theirs, after, slices.Concat(j.former[here.ID], j.others[here.ID], []*hippo.Memory{here})...)
	if lost {
		p.lost = append(p.lost, lostVersion{after, theirs})
	}
	switch {
	case !join.Same(here, after):
		normalise(after)
		p.changed = append(p.changed, change{before: here, after: after})
		return Updated
	case here.Forgotten() && !theirs.Forgotten():
		return Forgotten
	case lost:
		return Kept
	}
	return Present
}

// knows reports whether the memory had this version here before, or whether this version was merged with one that it had. If so, every change
// made here came after it, even if the other store's clock is ahead.
func (j *joined) knows(here, theirs *hippo.Memory) bool {
	text, settings := false, false
	for _, f := range j.former[here.ID] {
		text = text || join.Text(f) == join.Text(theirs)
		settings = settings || f.UpdatedAt.Equal(theirs.UpdatedAt) && join.Settings(f) == join.Settings(theirs)
	}
	return text && settings && theirs.Version <= here.Version
}

// keepLost keeps the versions that an import does not take. It records two operations, as if each memory had changed to that version and back.
// Undoing the second operation takes the version instead.
func keepLost(in Scoped, tx driver.Tx, list []lostVersion) error {
	s := in.store
	if s.retention.Versions <= 0 {
		return nil
	}
	cal, err := tx.Calendar()
	if err != nil {
		return err
	}
	for _, l := range list {
		for i, step := range []struct {
			reason        string
			before, after *hippo.Memory
		}{
			{reasonTheirs, l.kept, l.lost},
			{reasonOurs, l.lost, l.kept},
		} {
			in.op.ID, in.op.Reason = hippo.ID{}, step.reason
			op, err := newOperation(in, hippo.VerbImport)
			if err != nil {
				return err
			}
			op.Day, op.At = cal.Day, op.At.Add(time.Duration(i+1)*time.Microsecond) // after the import
			v := hippo.Version{ID: l.kept.ID, Namespace: l.kept.Namespace, Project: l.kept.Project, Before: former(step.before), Of: 1}
			if v.After, err = fingerprint(step.after); err != nil {
				return err
			}
			if err := tx.Keep(op, s.retention, v); err != nil {
				return err
			}
		}
	}
	return nil
}
