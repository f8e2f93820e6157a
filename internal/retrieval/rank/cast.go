package rank

import "github.com/hippo-memory/hippo"

// Cast applies a vote or an opening to a memory, as [Weights.Vote] does if f has a time in Former, else as an opening.
func (w *Weights) Cast(m *hippo.Memory, f hippo.Feedback) {
	if f.Kind == hippo.FeedbackOpened || f.Former == nil {
		m.Feedback = w.Learning.Add(m.Feedback, f)
		return
	}
	w.Vote(m, f, f.Former.At)
}
