package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// A script is a random sequence of transactions and of what happens between
// them. It depends on nothing but its own values, so that it can be played on
// any back end, and on a model, and the answers be compared.
type script []scene

// scene is one transaction.
type scene struct {
	Steps []step
	// Embeds are done on the writer's handle after the transaction.
	Embeds []embed
	// Fails ends the transaction with an error.
	Fails bool
	Lazy  bool
	// Writer and Reader choose the handle that writes, and the one that looks
	// at the result.
	Writer, Reader int
	// Reopen closes the writer's handle afterwards and opens it again.
	Reopen bool
}

// step is one action on memory N of the pool; V varies it.
type step struct {
	Do   action
	N, V int
}

type action string

const (
	doPut      action = "put"
	doFill     action = "fill"
	doUpdate   action = "update"
	doForget   action = "forget"
	doRestore  action = "restore"
	doPurge    action = "purge"
	doTouch    action = "touch"
	doCalendar action = "calendar"
	doKeep     action = "keep"
)

const (
	// poolSize is small, so that steps often meet the same memory.
	poolSize = 6
	// scriptHandles is how many handles a script plays on.
	scriptHandles = 2
)

func scripts() *rapid.Generator[script] {
	steps := rapid.Custom(func(t *rapid.T) step {
		return step{
			Do: rapid.SampledFrom([]action{
				doPut, doFill, doUpdate, doForget, doRestore, doPurge, doTouch, doCalendar, doKeep,
			}).Draw(t, "do"),
			N: rapid.IntRange(0, poolSize-1).Draw(t, "n"),
			V: rapid.IntRange(0, 9).Draw(t, "v"),
		}
	})
	scenes := rapid.Custom(func(t *rapid.T) scene {
		return scene{
			Steps:  rapid.SliceOfN(steps, 0, 5).Draw(t, "steps"),
			Embeds: rapid.SliceOfN(embeds(), 0, 2).Draw(t, "embeds"),
			Fails:  rapid.IntRange(0, 4).Draw(t, "fails") == 4,
			Lazy:   rapid.Bool().Draw(t, "lazy"),
			Writer: rapid.IntRange(0, scriptHandles-1).Draw(t, "writer"),
			Reader: rapid.IntRange(0, scriptHandles-1).Draw(t, "reader"),
			Reopen: rapid.IntRange(0, 5).Draw(t, "reopen") == 5,
		}
	})
	return rapid.Custom(func(t *rapid.T) script {
		return rapid.SliceOfN(scenes, 1, 12).Draw(t, "scenes")
	})
}

// play runs the steps of the scene in a transaction and returns what the
// transaction saw at its end.
func (s scene) play(tx driver.Tx) (inside, error) {
	for _, st := range s.Steps {
		if err := st.play(tx); err != nil {
			return inside{}, fmt.Errorf("%+v: %w", st, err)
		}
	}
	ms, err := tx.Get(idRange(poolSize)...)
	if err != nil {
		return inside{}, err
	}
	c, err := tx.Calendar()
	if err == nil && s.Fails {
		err = errWanted
	}
	return inside{Memories: withoutRevisions(ms), Calendar: c}, err
}

// inside is what a transaction sees.
type inside struct {
	Memories []*hippo.Memory
	Calendar driver.Calendar
}

func (s step) play(tx driver.Tx) error {
	switch s.Do {
	case doPut:
		return tx.Put(withText(s.N, fmt.Sprintf("text %d", s.V)))
	case doFill:
		m := full(s.N)
		m.Version = s.V + 1
		return tx.Put(m)
	case doPurge:
		return tx.Purge(id(s.N))
	case doTouch:
		return touchIn(tx, hippo.Day(s.V+1), id(s.N), id((s.N+s.V)%poolSize))
	case doCalendar:
		c, err := tx.Calendar()
		if err != nil {
			return err
		}
		return tx.SetCalendar(driver.Calendar{Day: c.Day + 1, Date: at(24 * s.V).In(time.UTC).Format(time.DateOnly)})
	case doKeep:
		return s.keep(tx)
	default:
		return s.modify(tx)
	}
}

// keep keeps two memories, those of them that are there, as they are, in operation V.
func (s step) keep(tx driver.Tx) error {
	ms, err := tx.Get(id(s.N), id((s.N+1)%poolSize))
	if err != nil {
		return err
	}
	vs := make([]hippo.Version, len(ms))
	for i, m := range ms {
		vs[i] = versionOf(m)
		vs[i].Of = len(ms)
	}
	return tx.Keep(operation(s.V), hippo.Retention{Versions: 3, Days: 5}, vs...)
}

// modify changes a memory, if it is there.
func (s step) modify(tx driver.Tx) error {
	ms, err := tx.Get(id(s.N))
	if err != nil || len(ms) == 0 {
		return err
	}
	m := ms[0]
	switch s.Do {
	case doForget:
		m.ForgottenAt = at(s.V)
	case doRestore:
		m.ForgottenAt = time.Time{}
	default:
		m.Tags = append(m.Tags, fmt.Sprintf("tag %d of version %d", s.V, m.Version))
		m.Version++
	}
	return tx.Put(m)
}

// stage is one store on which a script is played.
type stage struct {
	opener   Opener
	volatile bool
	handles  []driver.Backend
	revision hippo.Revision // the last seen
	known    replica        // by reading changes only
}

func newStage(h Harness, opener Opener) (*stage, error) {
	s := &stage{opener: opener, volatile: h.Volatile, known: replica{memories: make(map[hippo.ID]*hippo.Memory)}}
	n := scriptHandles
	if h.Volatile {
		n = 1
	}
	for range n {
		b, err := opener()
		if err != nil {
			return s, errors.Join(err, s.close())
		}
		s.handles = append(s.handles, b)
	}
	return s, nil
}

func (s *stage) close() error {
	var err error
	for _, b := range s.handles {
		err = errors.Join(err, b.Close())
	}
	s.handles = nil
	return err
}

// outside is what a store shows after a scene. Revisions are left out: back
// ends may leave gaps.
type outside struct {
	Inside inside
	// Changed are the memories that exist and changed in the scene, and Gone
	// those that did exist before it; each in the order of change.
	Changed, Gone []hippo.ID
	Memories      []*hippo.Memory
	Embedded      map[string][]driver.Vector
	Past          []hippo.Version
	Calendar      driver.Calendar
	Count         int
	Forgotten     int
}

// play runs a scene and returns what the store shows then.
func (s *stage) play(ctx context.Context, sc scene) (outside, error) {
	w, r := sc.Writer%len(s.handles), sc.Reader%len(s.handles)
	var out outside
	d := driver.Durable
	if sc.Lazy {
		d = driver.Lazy
	}
	err := s.handles[w].Write(ctx, d, func(tx driver.Tx) (err error) {
		out.Inside, err = sc.play(tx)
		return err
	})
	if sc.Fails != errors.Is(err, errWanted) || !sc.Fails && err != nil {
		return out, fmt.Errorf("write returned: %v", err) //nolint:errorlint // err may be nil
	}
	for _, e := range sc.Embeds {
		if err := e.play(ctx, s.handles[w]); err != nil {
			return out, err
		}
	}
	if sc.Reopen && !s.volatile {
		if err := s.reopen(w); err != nil {
			return out, err
		}
	}
	return out, s.observe(ctx, s.handles[r], &out)
}

func (s *stage) reopen(n int) error {
	if err := s.handles[n].Close(); err != nil {
		return err
	}
	b, err := s.opener()
	if err != nil {
		s.handles = slices.Delete(s.handles, n, n+1) // the rest is closed later
		return err
	}
	s.handles[n] = b
	return nil
}

// observe completes out, and checks what is the same for every store.
func (s *stage) observe(ctx context.Context, b driver.Backend, out *outside) error {
	before, known := s.known.revision, idSet(s.known.memories)
	list, err := readChanges(ctx, b, before)
	if err != nil {
		return err
	}
	for _, c := range list {
		switch {
		case c.Memory != nil:
			out.Changed = append(out.Changed, c.ID)
		case known[c.ID]:
			out.Gone = append(out.Gone, c.ID)
		}
	}
	s.known.apply(list)
	if err := s.known.use(ctx, b); err != nil {
		return err
	}
	ms, err := b.Get(ctx, idRange(poolSize))
	if err != nil {
		return err
	}
	if d := diff(s.known.list(), ms); d != "" {
		return fmt.Errorf("following changes differs from get (-get +changes):\n%s", d)
	}
	h, err := b.Head(ctx)
	if err != nil {
		return err
	}
	if h.Revision < s.known.revision || h.Revision < s.revision {
		return fmt.Errorf("head is at revision %d after %d, the last change at %d", h.Revision, s.revision, s.known.revision)
	}
	s.revision = h.Revision
	if out.Past, err = b.Versions(ctx, driver.VersionQuery{Memories: idRange(poolSize)}); err != nil {
		return err
	}
	out.Embedded, err = embedded(ctx, b)
	out.Memories = withoutRevisions(ms)
	out.Calendar, out.Count, out.Forgotten = h.Calendar, h.Memories, h.Forgotten
	return err
}

func idSet(ms map[hippo.ID]*hippo.Memory) map[hippo.ID]bool {
	set := make(map[hippo.ID]bool, len(ms))
	for id := range ms {
		set[id] = true
	}
	return set
}

func withoutRevisions(ms []*hippo.Memory) []*hippo.Memory {
	cs := cloneAll(ms)
	for _, c := range cs {
		c.Revision = 0
	}
	return cs
}
