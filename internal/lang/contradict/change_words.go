package contradict

import (
	"strings"
	"sync"
)

// changeWord is what a word says of a sentence.
type changeWord struct {
	kind    byte   // c speaks of a change, d denies, a adds, s is a verb of which several objects hold side by side, f is a function word
	topic   string // what the word is about
	article bool   // no verb stands after it
	steps   bool   // its number distinguishes one thing from the next
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
		'c': "now moved switched longer instead gave changed replaced stopped anymore renamed migrated relocated joined left quit jetzt mehr stattdessen umgezogen gewechselt désormais maintenant déménagé plutôt ahora mudó",
		'd': "not no never don't doesn't didn't isn't aren't doesn’t don’t nicht kein keine pas",
		'a': "also too another auch aussi también additionally",
		's': "like likes love loves enjoy enjoys speak speaks know knows visit visited support supports accept accepts include includes has have holds run read need needs owns spielt",
		'f': "the a an is are was were be in on at to of for with by and it its das der die ist le la el les des est à au en es los all after last from",
	} {
		set(list, func(w *changeWord) { w.kind = kind })
	}
	for topic, list := range map[string]string{
		"home":   "live lives living moved relocated wohnt lebt habite home resides reside",
		"job":    "work works joined hired employed job",
		"editor": "editor zed vim",
		"drink":  "drink drinks coffee tea espresso wine alcohol",
	} {
		set(list, func(w *changeWord) { w.topic = topic })
	}
	set("the a an der die das le la el les los", func(w *changeWord) { w.article = true })
	set("step phase stage part chapter section schritt étape paso", func(w *changeWord) { w.steps = true })
	return out
})
