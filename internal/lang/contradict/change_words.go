package contradict

import (
	"strings"
	"sync"
)

// changeWords are words by what they say of a sentence: c speaks of a change, d denies, a adds, s is a verb of which several objects
// hold side by side, f is a function word.
//
//nolint:gochecknoglobals // it is read once and never changes
var changeWords = sync.OnceValue(func() map[string]byte {
	out := make(map[string]byte)
	for kind, list := range map[byte]string{
		'c': "now moved switched longer instead gave changed replaced stopped anymore renamed migrated relocated joined left quit jetzt mehr stattdessen umgezogen gewechselt désormais maintenant déménagé plutôt ahora mudó",
		'd': "not no never don't doesn't didn't isn't aren't doesn’t don’t nicht kein keine pas",
		'a': "also too another auch aussi también additionally",
		's': "like likes love loves enjoy enjoys speak speaks know knows visit visited support supports accept accepts include includes has have holds run read need needs owns spielt",
		'f': "the a an is are was were be in on at to of for with by and it its das der die ist le la el les des est à au en es los all after last from",
	} {
		for w := range strings.FieldsSeq(list) {
			out[w] = kind
		}
	}
	return out
})

// topics are words by what they are about.
//
//nolint:gochecknoglobals // it is read once and never changes
var topics = sync.OnceValue(func() map[string]string {
	out := make(map[string]string)
	for topic, list := range map[string]string{
		"home":   "live lives living moved relocated wohnt lebt habite home resides",
		"job":    "work works joined hired employed job",
		"editor": "editor zed vim",
		"drink":  "drink drinks coffee tea espresso wine alcohol",
	} {
		for w := range strings.FieldsSeq(list) {
			out[w], out[stemOf(w)] = topic, topic
		}
	}
	return out
})

// articles are words before which no verb stands, numbersSteps those whose number distinguishes one thing from the next.
//
//nolint:gochecknoglobals // they are read once and never change
var (
	articles     = sync.OnceValue(func() map[string]bool { return setOf("the a an der die das le la el les los") })
	numbersSteps = sync.OnceValue(func() map[string]bool { return setOf("step phase stage part chapter section schritt étape paso") })
)

func setOf(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
