package main

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// The harder settings.
const (
	// settingPooled: one store with all conversations of the set.
	settingPooled eval.Setting = "pooled"
	// settingParaphrased: the plain setting with paraphrased questions, see [paraphrase].
	settingParaphrased eval.Setting = "paraphrased"
	// settingDistractors: one store with all of the set, and texts of other sets.
	settingDistractors eval.Setting = "distractors"
	// settingUsed: the plain setting with stores in which one memory in a hundred, none
	// of which answers a question, was opened daily for months and voted up.
	settingUsed eval.Setting = "used"
)

// harder says which settings are measured beside the plain one. Each adds a row for
// every system, with its [row.Loss] against the plain row; for conversations the
// loss of distractors is against that of pooled, which it adds.
type harder struct {
	pooled, paraphrased, used bool
	// distractors is the number of texts of other sets to add; 0 means no such rows.
	// Because they take minutes, they are of the baseline and the default ranker,
	// unless another ranker is asked for.
	distractors int
}

// usualDistractors is the number of distractors of --harder. Each is embedded by all models, which takes some ten
// milliseconds.
const usualDistractors = 20_000

// variant is a set in one setting; easier is the setting that it is compared with.
type variant struct {
	setting, easier eval.Setting
	make            func() (*eval.Set, error)
}

// plain reports whether a setting is that of a set as it is read.
func plain(s eval.Setting) bool { return s == eval.SettingConversation || s == eval.SettingCorpus }

// variants returns the plain one and those harder ones that make sense for a set.
func variants(s *eval.Set, sets []*eval.Set, h *harder) []variant {
	ready := func(x *eval.Set) (*eval.Set, error) { return x, nil }
	list := []variant{{setting: s.Setting, make: func() (*eval.Set, error) { return s, nil }}}
	whole := s.Setting
	if s.Setting == eval.SettingConversation && (h.pooled || h.distractors > 0) {
		whole = settingPooled
		list = append(list, variant{whole, s.Setting, func() (*eval.Set, error) { return ready(pooled(s)) }})
	}
	if h.paraphrased {
		list = append(list, variant{settingParaphrased, s.Setting, func() (*eval.Set, error) { return ready(paraphrased(s)) }})
	}
	if h.distractors > 0 {
		list = append(list, variant{settingDistractors, whole, func() (*eval.Set, error) { return withDistractors(s, sets, h.distractors) }})
	}
	if h.used {
		list = append(list, variant{settingUsed, s.Setting, func() (*eval.Set, error) { return ready(used(s)) }})
	}
	return list
}

// pooled is the set with all groups merged into one.
func pooled(s *eval.Set) *eval.Set {
	out := &eval.Set{Name: s.Name, Setting: settingPooled, Questions: slices.Clone(s.Questions)}
	var all eval.Group
	for _, g := range s.Groups {
		all.Docs = append(all.Docs, g.Docs...)
	}
	out.Groups = []eval.Group{all}
	for i := range out.Questions {
		out.Questions[i].Group = ""
	}
	return out
}

// paraphrased is the set with paraphrased questions.
func paraphrased(s *eval.Set) *eval.Set {
	out := &eval.Set{Name: s.Name, Setting: settingParaphrased, Groups: s.Groups, Questions: slices.Clone(s.Questions)}
	for i := range out.Questions {
		out.Questions[i].Text = paraphrase(out.Questions[i].Text)
	}
	return out
}
