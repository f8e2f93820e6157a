package index

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"

	"github.com/hippo-memory/hippo"
)

// lessons are the votes and openings of the memories that have any. A value is immutable once it is
// published: [lessons.with] copies the map that it changes, one of many.
type lessons [256]map[hippo.ID][]hippo.Feedback

// shardOf returns the map of a memory: the last byte of an ID is random.
func shardOf(id hippo.ID) byte { return id[len(id)-1] }

// of returns the feedback of a memory; nil if it has none.
func (l *lessons) of(id hippo.ID) []hippo.Feedback {
	if l == nil {
		return nil
	}
	return l[shardOf(id)][id]
}

// with returns lessons with the feedback of a memory; an empty list removes it.
func (l *lessons) with(id hippo.ID, list []hippo.Feedback) *lessons {
	if len(list) == 0 && l.of(id) == nil {
		return l
	}
	var out lessons
	if l != nil {
		out = *l
	}
	shard := maps.Clone(out[shardOf(id)])
	if shard == nil {
		shard = make(map[hippo.ID][]hippo.Feedback)
	}
	if out[shardOf(id)] = shard; len(list) == 0 {
		delete(shard, id)
		return &out
	}
	known := make([]hippo.Feedback, len(list))
	for i, f := range list {
		f.Former = nil // for the store alone
		known[i] = f
	}
	shard[id] = known
	return &out
}

// lessonSize is the size of the fixed part of an element: ID, day, weight, kind and the length of
// the question.
const lessonSize = 16 + 4 + 8 + 1 + 2

// encode returns the lessons as the file has them: all elements, one after the other.
func (l *lessons) encode() (b []byte) {
	if l == nil {
		return nil
	}
	for _, shard := range l {
		for id, list := range shard {
			for i := range list {
				f := &list[i]
				b = append(b, id[:]...)
				b = binary.NativeEndian.AppendUint32(b, uint32(int32Of(int(f.Day))))
				b = binary.NativeEndian.AppendUint64(b, math.Float64bits(f.Weight))
				b = append(b, kindCode(f.Kind))
				b = binary.NativeEndian.AppendUint16(b, uint16(len(f.Question)))
				b = append(b, f.Question...)
			}
		}
	}
	return b
}

// decodeLessons is the inverse of encode. It copies what it keeps.
func decodeLessons(b []byte) (*lessons, error) {
	if len(b) == 0 {
		return nil, nil
	}
	l := &lessons{}
	for len(b) > 0 {
		if len(b) < lessonSize {
			return nil, fmt.Errorf("feedback is cut off: %w", hippo.ErrCorrupt)
		}
		id, kinds := hippo.ID(b[:16]), hippo.FeedbackKinds()
		f := hippo.Feedback{
			Day: hippo.Day(int32(binary.NativeEndian.Uint32(b[16:]))), Weight: math.Float64frombits(binary.NativeEndian.Uint64(b[20:])),
		}
		code, n := int(b[28]), int(binary.NativeEndian.Uint16(b[29:]))
		if b = b[lessonSize:]; code >= len(kinds) || n > len(b) {
			return nil, fmt.Errorf("feedback of %v: %w", id, hippo.ErrCorrupt)
		}
		f.Kind, f.Question = kinds[code], append(hippo.Question(nil), b[:n]...)
		b = b[n:]
		shard := &l[shardOf(id)]
		if *shard == nil {
			*shard = make(map[hippo.ID][]hippo.Feedback)
		}
		(*shard)[id] = append((*shard)[id], f)
	}
	return l, nil
}

// kindCode returns the number of a kind in the file.
func kindCode(k hippo.FeedbackKind) byte {
	for i, known := range hippo.FeedbackKinds() {
		if k == known {
			return byte(i)
		}
	}
	return math.MaxUint8
}
