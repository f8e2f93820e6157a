package index

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// lesson is the votes on a memory and its openings, and its importance without them.
type lesson struct {
	feedback []hippo.Feedback
	untied   *hippo.Untied
}

// lessons are those of the memories that have any. A value is immutable once it is
// published: [lessons.with] copies the map that it changes, one of many.
type lessons [256]map[hippo.ID]lesson

// shardOf returns the map of a memory: the last byte of an ID is random.
func shardOf(id hippo.ID) byte { return id[len(id)-1] }

// of returns the lesson of a memory; the zero value if it has none.
func (l *lessons) of(id hippo.ID) lesson {
	if l == nil {
		return lesson{}
	}
	return l[shardOf(id)][id]
}

// with returns lessons with that of a memory; nil: it is gone.
func (l *lessons) with(id hippo.ID, m *hippo.Memory) *lessons {
	has := m != nil && (len(m.Feedback) > 0 || m.Untied != nil)
	if !has {
		if _, known := l.shard(id)[id]; !known {
			return l
		}
	}
	var out lessons
	if l != nil {
		out = *l
	}
	shard := maps.Clone(out[shardOf(id)])
	if shard == nil {
		shard = make(map[hippo.ID]lesson)
	}
	out[shardOf(id)] = shard
	if !has {
		delete(shard, id)
		return &out
	}
	x := lesson{slices.Clone(m.Feedback), m.Untied}
	for i := range x.feedback {
		x.feedback[i].Former = nil // for the store alone
	}
	shard[id] = x
	return &out
}

// shard returns the map of a memory.
func (l *lessons) shard(id hippo.ID) map[hippo.ID]lesson {
	if l == nil {
		return nil
	}
	return l[shardOf(id)]
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
		for id, x := range shard {
			list := x.feedback
			if u := x.untied; u != nil {
				list = append(slices.Clip(list), hippo.Feedback{Kind: untiedKind, Day: u.SetDay, Weight: u.Value})
			}
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
		id, kinds := hippo.ID(b[:16]), kindsOfFile()
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
			*shard = make(map[hippo.ID]lesson)
		}
		x := (*shard)[id]
		if f.Kind == untiedKind {
			x.untied = &hippo.Untied{Value: f.Weight, SetDay: f.Day}
		} else {
			x.feedback = append(x.feedback, f)
		}
		(*shard)[id] = x
	}
	return l, nil
}

// untiedKind marks the importance without votes among the elements of the file.
const untiedKind hippo.FeedbackKind = "untied"

// kindsOfFile returns the kinds of elements of the file.
func kindsOfFile() []hippo.FeedbackKind { return append(hippo.FeedbackKinds(), untiedKind) }

// kindCode returns the number of a kind in the file.
func kindCode(k hippo.FeedbackKind) byte { return byte(slices.Index(kindsOfFile(), k)) }
