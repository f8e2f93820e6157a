package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// fault names a rule outside [Subject] that a world breaks.
type fault uint

const (
	faultReplica fault = 1 << iota // a restored backup keeps its replica id
	faultVector                    // the vector moves without its data
	faultLoser                     // a replica does not keep the losing text
	faultCycle                     // a memory displays successors in a cycle
	faultSingle                    // a memory displays two relations of a single kind
)

// world has several replicas that change the same few memories, and a record of all their changes.
type world struct {
	pick   func(n int) int // returns a number below n
	off    rule
	fault  fault
	now    time.Time
	list   []*node
	backup []*node
	nextID byte

	acked   map[string]hippo.ID // the memory of each acknowledged text
	uses    map[hippo.ID]int
	purged  map[hippo.ID]bool
	created map[register]map[entry.Dot]bool
	below   map[register]map[entry.Dot]map[entry.Dot]bool // what the writer of an entry had seen of its register
}

type register struct {
	id   hippo.ID
	part string
}

// node is a replica.
type node struct {
	skew     time.Duration
	writer   Writer
	vector   entry.Vector
	subjects map[hippo.ID]*Subject
	memories map[hippo.ID]*hippo.Memory
	related  map[hippo.ID][]hippo.Relation
	history  map[hippo.ID]map[string]bool // texts
	seen     map[register]map[entry.Dot]bool
}

func memoryID(n int) hippo.ID { return hippo.ID{0: 1, 15: byte(n + 1)} }

const memories = 4

func newWorld(pick func(int) int, off rule, f fault) *world {
	w := &world{
		pick: pick, off: off, fault: f, now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		acked: make(map[string]hippo.ID), uses: make(map[hippo.ID]int), purged: make(map[hippo.ID]bool),
		created: make(map[register]map[entry.Dot]bool), below: make(map[register]map[entry.Dot]map[entry.Dot]bool),
	}
	year := 365 * 24 * time.Hour
	skews := []time.Duration{0, -year, year, 7 * time.Second, -3 * time.Second}
	for i := range 3 + pick(3) {
		w.list = append(w.list, w.node(skews[i]))
	}
	return w
}

func (w *world) node(skew time.Duration) *node {
	w.nextID++
	return &node{
		skew: skew, writer: Writer{Replica: clock.Replica{15: w.nextID}, off: w.off}, vector: entry.Vector{},
		subjects: make(map[hippo.ID]*Subject), memories: make(map[hippo.ID]*hippo.Memory), related: make(map[hippo.ID][]hippo.Relation),
		history: make(map[hippo.ID]map[string]bool), seen: make(map[register]map[entry.Dot]bool),
	}
}

// copyOf returns a copy of a replica, such as a backup or a copied file.
func (w *world) copyOf(n *node) *node {
	c := w.node(n.skew)
	if w.fault&faultReplica != 0 {
		c.writer = n.writer
	}
	c.writer.Clock = n.writer.Clock
	c.vector, c.memories, c.related = maps.Clone(n.vector), maps.Clone(n.memories), maps.Clone(n.related)
	for id, s := range n.subjects {
		c.subjects[id] = &Subject{ID: id, held: maps.Clone(s.held), off: s.off}
	}
	for id, texts := range n.history {
		c.history[id] = maps.Clone(texts)
	}
	for r, dots := range n.seen {
		c.seen[r] = maps.Clone(dots)
	}
	return c
}

func (w *world) clock(n *node) time.Time { return w.now.Add(n.skew) }

func (w *world) calendar(n *node) hippo.Calendar {
	return hippo.Calendar{Day: 4000, Date: w.clock(n).Format(time.DateOnly)}
}

func (n *node) subject(id hippo.ID, off rule) *Subject {
	s := n.subjects[id]
	if s == nil {
		s = NewSubject(id)
		s.off = off
		n.subjects[id] = s
	}
	return s
}

// write stamps parts at a replica.
func (w *world) write(n *node, id hippo.ID, parts map[string]json.RawMessage) {
	held := n.writer.Write(w.clock(n), n.subject(id, w.off), parts, func() entry.Vector { return n.vector })
	for _, h := range held {
		n.vector.Add(h.Dot)
		for _, name := range h.Names() {
			r := register{id, name}
			if w.below[r] == nil {
				w.below[r], w.created[r] = make(map[entry.Dot]map[entry.Dot]bool), make(map[entry.Dot]bool)
			}
			w.below[r][h.Dot] = maps.Clone(n.seen[r])
			w.created[r][h.Dot] = true
			w.note(n, r, h.Dot)
		}
	}
}

// note records that a replica has seen an entry of a register and all that the entry's writer had seen of that register.
func (w *world) note(n *node, r register, d entry.Dot) {
	if n.seen[r] == nil {
		n.seen[r] = make(map[entry.Dot]bool)
	}
	n.seen[r][d] = true
	maps.Copy(n.seen[r], w.below[r][d])
}

// change changes a memory at a replica.
func (w *world) change(n *node, id hippo.ID, fn func(m *hippo.Memory)) error {
	before := n.memories[id]
	after := &hippo.Memory{ID: id, Version: 1, CreatedAt: w.clock(n), Importance: hippo.Importance{Base: .5, Value: .5, SetAt: w.clock(n), SetDay: 1}}
	if before != nil {
		after = before.Clone()
	}
	fn(after)
	s := n.subject(id, w.off)
	w.write(n, id, s.Changed(before, after, w.calendar(n), cast))
	n.memories[id] = after
	if before != nil && before.Content != after.Content {
		n.keep(id, before.Content)
	}
	if s.Winner(Text) == nil {
		return fmt.Errorf("own write not visible: no text")
	}
	shown := w.view(n, id)
	if d := differ(shown, after); d != "" {
		return fmt.Errorf("own write not visible: %s", d)
	}
	return nil
}

func differ(a, b *hippo.Memory) string {
	if reflect.DeepEqual(plain(a), plain(b)) { // faster
		return ""
	}
	return cmp.Diff(a, b, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "ContentHash", "Accesses", "SupersededBy"),
		cmpopts.IgnoreFields(hippo.Feedback{}, "Former"), cmpopts.IgnoreFields(hippo.Feedback{}, "Day"), cmpopts.IgnoreFields(hippo.Importance{}, "SetDay"))
}

// plain returns a memory without the fields that may differ between replicas.
func plain(m *hippo.Memory) *hippo.Memory {
	c := m.Clone()
	c.UpdatedAt, c.ContentHash, c.Accesses, c.SupersededBy, c.Importance.SetDay = time.Time{}, hippo.Hash{}, nil, hippo.ID{}, 0
	for i := range c.Feedback {
		c.Feedback[i].Former, c.Feedback[i].Day = nil, 0
	}
	return c
}

// view builds a memory from its entries.
func (w *world) view(n *node, id hippo.ID) *hippo.Memory {
	s := n.subjects[id]
	if s == nil || !s.There() {
		return nil
	}
	m := &hippo.Memory{ID: id}
	s.Apply(m, s.Parts(), w.calendar(n), cast)
	m.SupersededBy = Superseded(id, func(id hippo.ID) (Edge, bool) {
		if s := n.subjects[id]; s != nil {
			return s.Edge()
		}
		return Edge{}, false
	})
	if e, ok := s.Edge(); ok && w.fault&faultCycle != 0 {
		m.SupersededBy = e.To
	}
	return m
}

// cast applies a vote by a rule whose result depends on the order of votes.
func cast(m *hippo.Memory, f hippo.Feedback) {
	factor := map[hippo.FeedbackKind]float64{hippo.FeedbackUp: 1.5, hippo.FeedbackDown: .6, hippo.FeedbackOpened: 1}[f.Kind]
	if f.Former != nil {
		for i := range m.Feedback {
			m.Feedback[i].Former = nil
		}
		m.Importance.Value, m.Importance.SetAt, m.Importance.SetDay = min(1, m.Importance.Value*factor), f.Former.At, f.Day
	}
	f.Weight = 1
	m.Feedback = append(slices.Clone(m.Feedback), f)
	m.Feedback = m.Feedback[max(0, len(m.Feedback)-hippo.MaxFeedback):]
}

// relations returns the relations from a memory to display. It skips those to memories that the replica lacks.
func (w *world) relations(n *node, id hippo.ID) []hippo.Relation {
	list := n.subjects[id].Relations("")
	out := Shown(list)
	if w.fault&faultSingle != 0 {
		out = out[:0]
		for _, r := range list {
			out = append(out, r.Relation)
		}
	}
	return slices.DeleteFunc(out, func(r hippo.Relation) bool { return n.memories[r.To] == nil })
}

// send sends to one replica, as bytes, the segments that it lacks from the other. Unless all is set, it shuffles them, drops some and may
// repeat one.
func (w *world) send(from, to *node, all bool) error {
	var list []*entry.Segment
	for _, r := range from.vector.Replicas() {
		if from.vector[r] <= to.vector[r] {
			continue
		}
		var held []*entry.Held
		for _, s := range from.subjects {
			for _, h := range s.Held() {
				if h.Origin == r && h.Seq > to.vector[r] && h.Seq <= from.vector[r] {
					held = append(held, h)
				}
			}
		}
		slices.SortFunc(held, func(a, b *entry.Held) int { return a.Compare(b.Dot) })
		list = append(list, entry.Segments(r, to.vector[r]+1, from.vector[r], held)...)
	}
	if !all {
		for i := range list {
			k := w.pick(i + 1)
			list[i], list[k] = list[k], list[i]
		}
		list = list[:w.pick(len(list)+1)]
		if len(list) > 0 && w.pick(3) == 0 {
			list = append(list, list[w.pick(len(list))])
		}
	}
	var b bytes.Buffer
	if err := entry.Write(&b, list...); err != nil {
		return err
	}
	for s, err := range entry.Read(&b) {
		if err != nil {
			return err
		}
		w.receive(to, s)
	}
	return nil
}

func (w *world) receive(n *node, s *entry.Segment) {
	held := entry.HeldOf(s)
	touched := make(map[hippo.ID]bool)
	for _, h := range held {
		if w.fault&faultVector != 0 && w.pick(10) == 0 {
			continue
		}
		n.subject(h.Subject, w.off).Join(h)
		touched[h.Subject] = true
		for _, name := range h.Names() {
			w.note(n, register{h.Subject, name}, h.Dot)
		}
	}
	n.writer.Saw(w.clock(n), held...)
	if s.From <= n.vector[s.Replica]+1 {
		n.vector[s.Replica] = max(n.vector[s.Replica], s.To)
	}
	for id := range touched {
		w.show(n, id)
	}
}

// show rebuilds a memory from its entries and keeps the losing texts.
func (w *world) show(n *node, id hippo.ID) {
	before, after := n.memories[id], w.view(n, id)
	if n.subjects[id].Purged() {
		delete(n.history, id)
	}
	if after == nil {
		delete(n.memories, id)
		return
	}
	n.memories[id] = after
	if w.fault&faultLoser != 0 {
		return
	}
	if before != nil && before.Content != after.Content {
		n.keep(id, before.Content)
	}
	for _, c := range n.subjects[id].Conflicts() {
		for _, h := range c.Losers {
			var v textValue
			if c.Part == Text && read(h, Text, &v) {
				n.keep(id, v.Content)
			}
		}
	}
}

func (n *node) keep(id hippo.ID, text string) {
	if n.history[id] == nil {
		n.history[id] = make(map[string]bool)
	}
	n.history[id][text] = true
}
