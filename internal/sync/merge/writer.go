package merge

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Writer stamps the entries that a replica writes. A store saves it in the same transaction as the entries it has stamped.
type Writer struct {
	Replica clock.Replica
	Clock   clock.Clock
	// Seq is the number of the last entry.
	Seq uint64
	// From is the first number of the open segment. Vector is what the replica had seen of others when the segment began. They are 0 and nil
	// if no segment is open. A segment ends when the replica joins entries of others, because later writes have seen more.
	From   uint64
	Vector entry.Vector
	off    rule
}

// Saw ends the open segment after the replica has joined the given entries of others.
func (w *Writer) Saw(now time.Time, list ...*entry.Held) {
	w.From, w.Vector = 0, nil
	for _, h := range list {
		w.Clock.See(now, h.Time)
	}
}

// Write joins new values of some parts to a memory and returns the entries it has written. The entries replace the old values of these
// parts. If a segment begins, Write calls seen to get the vector of the replica. The values of one call become one entry, but a part
// gets its own entry if the writer has seen more of it than the segment's vector covers.
func (w *Writer) Write(now time.Time, s *Subject, parts map[string]json.RawMessage, seen func() entry.Vector) []*entry.Held {
	return w.write(parts, s, seen, func(above clock.Time) clock.Time { return w.Clock.Next(now, above) })
}

// WriteAt is [Writer.Write] for values that the store set at an earlier time, before it began to sync. Values that other stores have
// set later win.
func (w *Writer) WriteAt(then time.Time, s *Subject, parts map[string]json.RawMessage, seen func() entry.Vector) []*entry.Held {
	return w.write(parts, s, seen, func(above clock.Time) clock.Time { return max(clock.At(then), above+1) })
}

func (w *Writer) write(parts map[string]json.RawMessage, s *Subject, seen func() entry.Vector, stamp func(clock.Time) clock.Time) (out []*entry.Held) {
	if len(parts) == 0 || s.Purged() {
		return nil
	}
	if w.From == 0 {
		w.From, w.Vector = w.Seq+1, maps.Clone(seen())
		delete(w.Vector, w.Replica)
	}
	var together, first, last []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		switch {
		case w.alike(s, name):
			together = append(together, name)
		case sees(name) != nil: // this call may write what it sees
			last = append(last, name)
		default:
			first = append(first, name)
		}
	}
	for _, name := range first {
		out = append(out, w.one(s, parts, stamp, name))
	}
	if len(together) > 0 {
		out = append(out, w.one(s, parts, stamp, together...))
	}
	for _, name := range last {
		out = append(out, w.one(s, parts, stamp, name))
	}
	return out
}

// alike reports whether the segment's vector covers all that a write of a part has seen.
func (w *Writer) alike(s *Subject, name string) bool {
	seen, also := w.beyond(s, name)
	return seen == nil && also == nil
}

// one writes the named parts as one entry. If it gets several, the segment's vector must cover what each has seen.
func (w *Writer) one(s *Subject, parts map[string]json.RawMessage, stamp func(clock.Time) clock.Time, names ...string) *entry.Held {
	e := &entry.Entry{Subject: s.ID}
	var above clock.Time
	for _, name := range names {
		e.Set(name, parts[name])
		if old := s.Winner(name); old != nil && name != Uses && w.off&ruleFloor == 0 {
			above = max(above, old.Time)
		}
	}
	if len(names) == 1 {
		e.Seen, e.Also = w.beyond(s, names[0])
	}
	w.Seq++
	e.Dot, e.Time = entry.Dot{Origin: w.Replica, Seq: w.Seq}, stamp(above)
	h := &entry.Held{Entry: e, From: w.From, Vector: w.Vector}
	s.Join(h)
	return h
}

// beyond returns what a write of a part has seen and the segment's vector does not cover. seen covers entries of the part that the replica
// joined out of order, and what their writers had seen. also lists single entries of other parts. Without them, a replica that joins
// those entries late would take them for concurrent with the write.
func (w *Writer) beyond(s *Subject, name string) (seen entry.Vector, also []entry.Dot) {
	if name == Vote || name == Uses || w.off&ruleBeyond != 0 {
		return nil, nil
	}
	own := make(entry.Vector)
	for _, h := range s.with(name) {
		own.Add(h.Dot)
		own = own.Union(h.Vector).Union(h.Seen)
	}
	delete(own, w.Replica)
	seen = own.Beyond(w.Vector)
	for _, part := range sees(name) {
		for _, h := range s.Register(part) {
			if h.Origin != w.Replica && !w.Vector.Covers(h.Dot) && !seen.Covers(h.Dot) {
				also = append(also, h.Dot)
			}
		}
	}
	return seen, also
}

// sees returns the other parts that a write of a part takes into account.
func sees(part string) []string {
	switch part {
	case Forgotten:
		return []string{Text, Vote}
	case Importance:
		return []string{Vote}
	}
	return nil
}
