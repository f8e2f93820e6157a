package contradict

import (
	"strings"
	"sync"
)

// changeWord is what a word says of a sentence.
type changeWord struct {
	// kind: c speaks of a change, e of an end, d denies, a adds, v is a verb, s one of which several objects hold side by side, p is a preposition,
	// f is another function word.
	kind  byte
	verb  bool // it stands where a verb does
	steps bool // its number distinguishes one thing from the next
}

//nolint:gochecknoglobals // it is read once and never changes
var changeWords = sync.OnceValue(func() map[string]changeWord {
	out := make(map[string]changeWord)
	set := func(list string, with func(*changeWord)) {
		for w := range strings.FieldsSeq(list) {
			c := out[w]
			with(&c)
			out[w] = c
		}
	}
	for kind, list := range map[byte]string{
		'e': "longer anymore mehr",
		'c': "now instead since nowadays recently jetzt stattdessen seit inzwischen désormais maintenant plutôt depuis ahora",
		'd': "not no never don't doesn't didn't isn't aren't doesn’t don’t nicht kein keine pas",
		'a': "also too another additionally well auch aussi également también",
		'v': "work go want prefer write lead send happen drive wohnt lebt arbeitet nutzt habite travaille utilise vive trabaja usa",
		's': "like love enjoy speak know play visit visited support accept include has have hold run read own spielt",
		'p': "in on at to of for with by from after before into through via über mit für auf nach bei à en de con para",
		'f': "the a an is are was were be been being and it its we i he she they you my our his her their user some all last this that these those such as or got der die das ist sind le la el les los es est",
	} {
		set(list, func(w *changeWord) { w.kind = kind })
	}
	const verbs = "moved switched gave changed replaced stopped renamed migrated relocated joined left quit became ported rewritten dropped pushed started umgezogen gewechselt déménagé mudó cambió"
	set(verbs, func(w *changeWord) { w.kind = 'c' })
	set(verbs+" is are was were be been got doesn't don't didn't isn't aren't doesn’t don’t ist sind est es", func(w *changeWord) { w.verb = true })
	set("step phase stage part chapter section migration schritt étape paso", func(w *changeWord) { w.steps = true })
	return out
})
