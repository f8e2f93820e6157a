package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// play takes some steps, exchanges all entries and returns the first error that check finds.
func (w *world) play(steps int) error {
	for step := range steps {
		w.now = w.now.Add(time.Duration(w.pick(3600)) * time.Second)
		if err := w.step(step); err != nil {
			return err
		}
	}
	for range len(w.list) + 2 {
		for _, a := range w.list {
			for _, b := range w.list {
				if a != b {
					if err := w.send(a, b, true); err != nil {
						return err
					}
				}
			}
		}
	}
	return w.check()
}

// step performs one random action at one replica.
func (w *world) step(step int) error {
	n, id := w.list[w.pick(len(w.list))], memoryID(w.pick(memories))
	m, there := n.memories[id]
	switch kind := w.pick(20); {
	case kind < 7: // exchange
		if from := w.list[w.pick(len(w.list))]; from != n {
			return w.send(from, n, w.pick(3) == 0)
		}
	case kind == 7:
		return w.copyStore(n)
	case n.subjects[id] != nil && n.subjects[id].Purged():
	case kind < 11 || !there:
		return w.edit(n, id, fmt.Sprintf("%d.%d", step, w.pick(100)))
	case kind < 13:
		return w.change(n, id, func(m *hippo.Memory) { w.vote(n, m) })
	case kind == 13:
		return w.change(n, id, func(m *hippo.Memory) { w.setOther(n, m, step) })
	case kind == 14:
		return w.change(n, id, func(m *hippo.Memory) {
			m.ForgottenAt = w.clock(n).UTC()
			if w.pick(3) == 0 {
				m.ForgottenAt = time.Time{}
			}
		})
	case kind == 15 && w.pick(4) == 0:
		w.purge(n, id)
	case kind == 16:
		w.use(n, id)
	case kind == 17:
		return w.supersede(n, m)
	case kind > 17:
		w.relate(n, id)
	}
	return nil
}

func (w *world) copyStore(n *node) error {
	if w.pick(2) == 0 {
		b := *w.copyOf(n)
		b.writer.Replica = n.writer.Replica
		w.backup = append(w.backup, &b)
	} else if len(w.backup) > 0 && len(w.list) < 7 {
		w.list = append(w.list, w.copyOf(w.backup[w.pick(len(w.backup))]))
	}
	return nil
}

func (w *world) edit(n *node, id hippo.ID, text string) error {
	text += fmt.Sprint(" of ", n.writer.Replica)
	w.acked[text] = id
	return w.change(n, id, func(m *hippo.Memory) {
		if m.Content != "" {
			m.Version++
		}
		m.Content = text
	})
}

func (w *world) vote(n *node, m *hippo.Memory) {
	kind := hippo.FeedbackKinds()[w.pick(3)]
	f := hippo.Feedback{Kind: kind, Day: w.calendar(n).Day, Question: hippo.Question{byte(w.pick(200)), byte(w.pick(200))}}
	if kind != hippo.FeedbackOpened {
		f.Former = &hippo.Former{At: w.clock(n).UTC()}
	}
	cast(m, f)
}

// setOther sets a part that has no special rule.
func (w *world) setOther(n *node, m *hippo.Memory, step int) {
	switch w.pick(8) {
	case 0:
		m.Tags, m.Version = []string{fmt.Sprint(step)}, m.Version+1
	case 1:
		m.Importance.Base = float64(w.pick(10)) / 10
		m.Importance.Value, m.Importance.SetAt = m.Importance.Base, w.clock(n).UTC()
	case 2:
		m.Pinned = !m.Pinned
	case 3:
		m.ValidUntil = w.clock(n).UTC()
	case 4:
		m.EventTime = w.clock(n).UTC()
	case 5:
		m.Project, m.Trust = fmt.Sprint("p", w.pick(3)), hippo.Trust(w.pick(4))
	case 6:
		m.ArchivedAt = w.clock(n).UTC()
	case 7:
		key := fmt.Sprint("k", w.pick(2))
		if m.Metadata == nil {
			m.Metadata = make(map[string]json.RawMessage)
		}
		if _, ok := m.Metadata[key]; ok && w.pick(2) == 0 {
			delete(m.Metadata, key)
		} else {
			m.Metadata[key] = json.RawMessage(fmt.Sprint(step))
		}
	}
}

func (w *world) purge(n *node, id hippo.ID) {
	w.write(n, id, map[string]json.RawMessage{Purged: json.RawMessage("true")})
	delete(n.memories, id)
	delete(n.history, id)
	w.purged[id] = true
}

func (w *world) use(n *node, id hippo.ID) {
	s, own := n.subject(id, w.off), make(map[string]int)
	for _, h := range s.Register(Uses) {
		if h.Origin == n.writer.Replica {
			_ = json.Unmarshal(h.Parts[Uses], &own)
		}
	}
	own[w.calendar(n).Date]++
	w.uses[id]++
	w.write(n, id, map[string]json.RawMessage{Uses: raw(own)})
}

func (w *world) supersede(n *node, m *hippo.Memory) error {
	by := memoryID(w.pick(memories))
	for at, k := n.memories[by], 0; at != nil && k < memories+1; at, k = n.memories[at.SupersededBy], k+1 {
		if at.ID == m.ID || at.SupersededBy == m.ID {
			return nil
		}
	}
	return w.change(n, m.ID, func(m *hippo.Memory) { m.SupersededBy = by })
}

// relate sets or removes a relation as the store does. A new relation of a single kind ends the previous one.
func (w *world) relate(n *node, id hippo.ID) {
	to, kind := memoryID(w.pick(memories)), []string{"lives_in", "explains"}[w.pick(2)]
	now := w.clock(n).UTC().Truncate(time.Microsecond)
	if to == id || n.memories[to] == nil {
		return
	}
	for _, r := range w.relations(n, id) {
		switch {
		case r.Kind != kind:
		case r.To == to && w.pick(2) == 0:
			r.Weight = 0
			w.write(n, id, map[string]json.RawMessage{RelationPart(&r): RelationValue(&r)})
			return
		case r.To != to && kind == "lives_in" && r.ValidUntil.IsZero() && r.ValidFrom.Before(now):
			r.ValidUntil = now
			w.write(n, id, map[string]json.RawMessage{RelationPart(&r): RelationValue(&r)})
		}
	}
	r := hippo.Relation{From: id, To: to, Kind: kind, Weight: .5, LastReinforced: now}
	if kind == "lives_in" {
		r.ValidFrom = now
	}
	w.write(n, id, map[string]json.RawMessage{RelationPart(&r): RelationValue(&r)})
}

// check returns an error if the replicas disagree or have lost data after they exchanged all entries.
func (w *world) check() error {
	first := w.list[0]
	for _, n := range w.list[1:] {
		if !maps.Equal(n.vector, first.vector) {
			return fmt.Errorf("diverged: vectors %v and %v", n.vector, first.vector)
		}
		for i := range memories {
			if err := w.compare(first, n, memoryID(i)); err != nil {
				return err
			}
		}
	}
	for text, id := range w.acked {
		if !w.purged[id] && !slices.ContainsFunc(w.list, func(n *node) bool {
			return n.memories[id] != nil && n.memories[id].Content == text || n.history[id][text]
		}) {
			return fmt.Errorf("lost: %s", text)
		}
	}
	for i := range memories {
		if err := w.checkMemory(first, memoryID(i)); err != nil {
			return err
		}
	}
	return nil
}

// compare returns an error if two replicas disagree on a memory.
func (w *world) compare(a, b *node, id hippo.ID) error {
	x, y := a.subject(id, w.off), b.subject(id, w.off)
	if l, r := lines(x), lines(y); l != r {
		return fmt.Errorf("diverged: entries of %v:\n%s\n%s", id, l, r)
	}
	v, u := w.view(a, id), w.view(b, id)
	if (v == nil) != (u == nil) {
		return fmt.Errorf("diverged: %v is there and is not", id)
	}
	if v == nil {
		return nil
	}
	if d := differ(v, u); d != "" || v.SupersededBy != u.SupersededBy {
		return fmt.Errorf("diverged: %v\n%s", id, d)
	}
	if !slices.Equal(w.relations(a, id), w.relations(b, id)) {
		return fmt.Errorf("diverged: relations of %v", id)
	}
	return nil
}

func lines(s *Subject) string {
	var b strings.Builder
	for _, h := range s.Held() {
		b.Write(h.Line())
		fmt.Fprintf(&b, " by %v\n", h.Origin)
	}
	return b.String()
}

// checkMemory compares the state of a memory with the record of what its writers had seen.
func (w *world) checkMemory(n *node, id hippo.ID) error {
	s := n.subject(id, w.off)
	if w.purged[id] {
		if !s.Purged() || len(s.Held()) != 1 || bytes.Contains(s.Held()[0].Line(), []byte("of ")) {
			return fmt.Errorf("purged: %v is there", id)
		}
		return nil
	}
	for r, all := range w.created {
		if r.id != id || r.part == Vote || r.part == Uses {
			continue
		}
		for d := range all {
			replaced := false
			for _, below := range w.below[r] {
				replaced = replaced || below[d]
			}
			if held := slices.ContainsFunc(s.Register(r.part), func(h *entry.Held) bool { return h.Dot == d }); held == replaced {
				return fmt.Errorf("conflict: %s of %v, entry %v: held %v, replaced %v", r.part, id, d, held, replaced)
			}
		}
	}
	if total := w.total(s); total != w.uses[id] {
		return fmt.Errorf("uses: %d of %d", total, w.uses[id])
	}
	m := n.memories[id]
	if m == nil {
		return nil
	}
	return w.checkShown(n, m)
}

func (w *world) total(s *Subject) (total int) {
	for _, h := range s.Register(Uses) {
		var days map[string]int
		_ = json.Unmarshal(h.Parts[Uses], &days)
		for _, c := range days {
			total += c
		}
	}
	return total
}

// checkShown checks the rules that apply when a store reads a memory.
func (w *world) checkShown(n *node, m *hippo.Memory) error {
	s := n.subjects[m.ID]
	if m = w.view(n, m.ID); m.Forgotten() {
		for _, h := range s.Register(Text) {
			f := s.Winner(Forgotten)
			if !f.Saw(h.Dot) {
				return fmt.Errorf("forgotten: %v hides a text that nobody had seen who forgot it", m.ID)
			}
		}
	}
	for at, k := w.view(n, m.SupersededBy), 0; at != nil; at, k = w.view(n, at.SupersededBy), k+1 {
		if k > memories || at.ID == m.ID {
			return fmt.Errorf("cycle: %v", m.ID)
		}
	}
	open := 0
	for _, r := range w.relations(n, m.ID) {
		if r.Kind == "lives_in" && r.ValidUntil.IsZero() {
			open++
		}
	}
	if open > 1 {
		return fmt.Errorf("single: %v lives in %d places", m.ID, open)
	}
	return nil
}
