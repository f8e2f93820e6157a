package rank

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Learning are the constants of votes and openings in ranker hippo.
type Learning struct {
	// Shift is the largest change of the weighted sum of the reranker by feedback, up or down.
	Shift float64
	// Reach is how far below the best candidate another one may be for a lesson of 1 to raise it, as a
	// fraction of the relevance of the best: what is less relevant is no answer, whatever was said of it.
	// A weaker lesson reaches less far, in proportion.
	Reach float64
	// Near is the cosine of two questions up to which feedback on one says nothing about the other,
	// Same that from which it says all.
	Near, Same float64
	// Unrelated is the cosine of two questions below which they have nothing to do with each other.
	Unrelated float64
	// Decay is the factor by which feedback shrinks per active day.
	Decay float64
	// Opened is what an opening counts, as a fraction of a vote.
	Opened float64
	// Saturation is the number of votes at which feedback has 1 - 1/e of its effect.
	Saturation float64
	// Most is the largest number of votes that one element counts as.
	Most float64
	// Proven is the number of votes on the very question, downvotes taken off, from which a memory answers it before all other
	// candidates, however far it is behind. It is below 2, since votes age.
	Proven float64
	// Lead is by how much what is proven is before the best other candidate, as a lesson.
	Lead float64
}

const (
	// sketchSize is the number of components of the sketch of a question.
	sketchSize = 128
	// sketchHead is the number of bytes before them.
	sketchHead = 4
)

// Sketch returns the sketch of a vector of a model: its components, each with a sign that looks
// random, are added up in sketchSize sums, which keeps cosines but for an error of about .03. Nil
// for a vector of zeros.
// Source: Charikar, Chen and Farach-Colton, "Finding frequent items in data streams", 2002.
func Sketch(model string, v []float32) hippo.Question {
	var sums [sketchSize]float64
	for i, x := range v {
		if bits := uint32(i+1) * 0x9E3779B1; bits>>31 == 0 { // Knuth's multiplicative hash
			sums[i%sketchSize] += float64(x)
		} else {
			sums[i%sketchSize] -= float64(x)
		}
	}
	most := 0.0
	for _, x := range sums {
		most = max(most, math.Abs(x))
	}
	if most == 0 {
		return nil
	}
	q := binary.LittleEndian.AppendUint32(make([]byte, 0, sketchHead+sketchSize), crc32.ChecksumIEEE([]byte(model)))
	for _, x := range sums {
		q = append(q, byte(int8(math.Round(x/most*math.MaxInt8))))
	}
	return q
}

// Similarity is the approximate cosine of two questions, in [-1, 1]; 0 if one is unknown, or their
// models differ. Cost: about 100 ns.
func Similarity(a, b hippo.Question) float64 {
	if len(a) != len(b) || len(a) <= sketchHead || string(a[:sketchHead]) != string(b[:sketchHead]) {
		return 0
	}
	var dot, x, y int
	for i := sketchHead; i < len(a); i++ {
		p, q := int(int8(a[i])), int(int8(b[i]))
		dot, x, y = dot+p*q, x+p*p, y+q*q
	}
	if x == 0 || y == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(float64(x)*float64(y))
}

// nearness is how much feedback on one question says about another of this similarity, in [0, 1].
func (w *Learning) nearness(similarity float64) float64 {
	return min(1, max(0, (similarity-w.Near)/(w.Same-w.Near)))
}

// aged returns a weight as of a later day.
func (w *Learning) aged(weight float64, from, to hippo.Day) float64 {
	return weight * math.Pow(w.Decay, float64(max(0, to-from)))
}

// value is what one vote of a kind counts, with its sign.
func (w *Learning) value(k hippo.FeedbackKind) float64 {
	switch k {
	case hippo.FeedbackUp:
		return 1
	case hippo.FeedbackDown:
		return -1
	case hippo.FeedbackOpened:
		return w.Opened
	default:
		return 0
	}
}

// Lesson is what feedback on a memory says about it as an answer to a question on a day, in (-1,
// 1): above 0 it helped, below 0 it misled, 0 nothing is known. Praise is divided by the number of
// unrelated questions, this one included, that the memory was praised for: what is said to answer
// everything says little about one thing. proven: the votes on this very question reach [Learning.Proven].
func (w *Learning) Lesson(list []hippo.Feedback, q hippo.Question, day hippo.Day) (lesson float64, proven bool) {
	votes, own, questions := 0.0, 0.0, 1.0
	for i := range list {
		f := &list[i]
		similarity, x := Similarity(f.Question, q), w.value(f.Kind)*w.aged(f.Weight, f.Day, day)
		if near := w.nearness(similarity); near > 0 {
			votes += near * x
			if near == 1 && f.Kind != hippo.FeedbackOpened {
				own += x
			}
		} else if similarity < w.Unrelated && len(f.Question) > 0 && x > 0 {
			questions += min(1, x)
		}
	}
	if votes > 0 {
		votes /= questions
	}
	return rounded(math.Copysign(1-math.Exp(-math.Abs(votes)/w.Saturation), votes)), votes > 0 && own/questions >= w.Proven
}

// Add returns a list with one more vote or opening, as the newest. One of the same kind for the same
// question is merged with it; of too many the oldest is left out. The list given is not changed.
func (w *Learning) Add(list []hippo.Feedback, f hippo.Feedback) []hippo.Feedback {
	list = slices.Clone(list)
	f.Weight = 1
	for i := range list {
		if f.Former != nil {
			list[i].Former = nil
		}
	}
	same := func(old hippo.Feedback) bool {
		return old.Kind == f.Kind && (len(old.Question)+len(f.Question) == 0 || Similarity(old.Question, f.Question) >= w.Same)
	}
	if i := slices.IndexFunc(list, same); i >= 0 {
		old := list[i]
		f.Day = max(f.Day, old.Day)
		f.Weight = min(w.Most, 1+w.aged(old.Weight, old.Day, f.Day))
		if f.Former == nil {
			f.Former = old.Former
		} else {
			f.Former.Day, f.Former.Weight = old.Day, old.Weight
		}
		list = slices.Delete(list, i, i+1)
	}
	list = append(list, f)
	return list[max(0, len(list)-hippo.MaxFeedback):]
}

// Former returns a list without its newest vote, and what that replaced; nil if no vote can be taken
// back. The list given is not changed.
func (w *Learning) Former(list []hippo.Feedback) ([]hippo.Feedback, *hippo.Former) {
	i := slices.IndexFunc(list, func(f hippo.Feedback) bool { return f.Former != nil })
	if i < 0 {
		return list, nil
	}
	list = slices.Clone(list)
	former := list[i].Former
	if list[i].Former = nil; former.Weight == 0 {
		return slices.Delete(list, i, i+1), former
	}
	list[i].Day, list[i].Weight = former.Day, former.Weight
	return list, former
}

// Proof is the lesson that puts a candidate with a weighted sum before the best other one, by more the more its own lesson says.
func (w *Learning) Proof(lesson, sum, best float64) float64 {
	if w.Shift == 0 {
		return lesson
	}
	return max(lesson, rounded((best-sum)/w.Shift+w.Lead*(1+lesson)))
}

// Effective is the part of a lesson that counts for a candidate whose text has this relevance: none
// of one that would raise it from further below the best than Reach times the lesson. best is the highest relevance of a candidate, without
// lessons.
func (w *Learning) Effective(lesson, text, best float64) float64 {
	if lesson > 0 && text < best*(1-float64(w.Reach*lesson)) {
		return 0
	}
	return lesson
}
