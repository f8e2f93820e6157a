package grid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// filler is what a store holds beside the memories that are asked for.
type filler struct {
	name string
	// share of the store.
	share float64
	// make returns n memories, or fewer if there are no more, beside a set's own ones; nil: the store is filled up with notes.
	make func(l *Library, own []*hippo.Memory, n int) []*hippo.Memory
}

func fillers() []filler {
	return []filler{
		{name: baseFiller},
		{"chat", .7, func(l *Library, own []*hippo.Memory, n int) []*hippo.Memory { return l.chat.beside(own, n) }},
		{"logs", .7, logs},
		{foreignKind + "3", .03, foreign},
		{foreignKind + "10", .1, foreign},
		{foreignKind + "50", .5, foreign},
		{"long", .25, func(l *Library, own []*hippo.Memory, n int) []*hippo.Memory { return l.long.beside(own, n) }},
		{"code", .5, func(l *Library, own []*hippo.Memory, n int) []*hippo.Memory { return l.code.beside(own, n) }},
		{"decisions", .7, chatter},
		{"former", .5, former},
	}
}

const (
	foreignKind = "foreign" // begins the names of fillers with notes of other languages
	foreignSet  = "world"   // has them
)

func fillerNamed(name string) filler {
	all := fillers()
	return all[slices.IndexFunc(all, func(f filler) bool { return f.name == name })]
}

func foreign(l *Library, own []*hippo.Memory, n int) []*hippo.Memory { return l.foreign.beside(own, n) }

// note returns a memory of a generator.
func note(kind string, i int, text string, importance float64) *hippo.Memory {
	name := fmt.Sprintf("%s-%d", kind, i)
	m := formats.Imported("grid", name)
	m.Content, m.ContentHash, m.Source.URI = text, hippo.HashContent(text), name
	m.Importance.Base, m.Importance.Value = importance, importance
	return m
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// seeded returns the randomness of a generator.
func seeded(kind string) *rand.Rand { return rand.New(rand.NewPCG(0x6772_6964, seedOf(kind))) }

// logs are lines of deployments that hardly differ.
func logs(_ *Library, _ []*hippo.Memory, n int) []*hippo.Memory {
	r := seeded("logs")
	out := make([]*hippo.Memory, n)
	for i := range out {
		out[i] = note("log", i, fmt.Sprintf("Deploy #%d of %s to %s took %dm%ds; the smoke tests passed and traffic was switched at %d:%d.", 1000+i,
			pick(r, "quotes-svc", "gateway", "billing", "search", "notifier"), pick(r, "staging", "production", "canary"), 2+r.IntN(8), 10+r.IntN(50), 8+r.IntN(12), 10+r.IntN(50)), .5)
	}
	return out
}

// remarks are chatter about a topic, in which nothing is decided.
func remarks() []string {
	return []string{
		"Still thinking about {t} today.", "Had another chat about {t} with Sam.", "{t}: nothing new this week.", "Can somebody look at {t} again?",
		"We talked about {t} over lunch.", "Somebody asked about {t} in the stand-up.", "I read a blog post on {t}.", "{t} came up in the retro again.",
		"Maybe {t} needs a ticket.", "Notes on {t} are in the wiki.", "{t} was on the agenda but we ran out of time.", "Ping me about {t} tomorrow.",
		"Lena has opinions on {t}.", "{t} is confusing for new people.", "More on {t} next sprint.", "Good discussion of {t} in the channel.",
		"Who owns {t} at the moment?", "{t} slides are nearly done.", "No progress with {t} so far.",
	}
}

// about returns a remark on a topic.
func about(remark, topic string) string {
	text := []rune(strings.ReplaceAll(remark, "{t}", topic))
	text[0] = unicode.ToUpper(text[0])
	return string(text)
}

// chatter are remarks on the topics of a set's own memories.
func chatter(_ *Library, own []*hippo.Memory, n int) []*hippo.Memory {
	var topics []string
	for _, m := range own {
		if t := topicOf(textOf(m)); t != "" {
			topics = append(topics, t)
		}
	}
	r := seeded("chatter")
	r.Shuffle(len(topics), func(i, j int) { topics[i], topics[j] = topics[j], topics[i] })
	all := remarks()
	var out []*hippo.Memory
	for i := 0; i < n && i < len(topics)*len(all); i++ { // all remarks on one topic, then on the next
		out = append(out, note("chatter", i, about(all[i%len(all)], topics[i/len(all)]), .5))
	}
	return out
}

// topicOf is the longest pair of neighbouring words of a text.
func topicOf(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' })
	best := ""
	for i := 1; i < len(words); i++ {
		if t := words[i-1] + " " + words[i]; len(t) > len(best) && len(t) < 40 {
			best = t
		}
	}
	return best
}

// former are what a set's own memories said in former years: other numbers, two to four years earlier.
func former(_ *Library, own []*hippo.Memory, n int) []*hippo.Memory {
	r := seeded("former")
	var out []*hippo.Memory
	for _, i := range r.Perm(len(own)) {
		if len(out) == n {
			break
		}
		years := 2 + r.IntN(3)
		at := own[i].When()
		if at.IsZero() {
			at = clock()
		}
		at = at.AddDate(-years, 0, 0)
		m := note("former", i, fmt.Sprintf("As of %d: %s", at.Year(), otherDigits(textOf(own[i]), r)), own[i].Importance.Base)
		m.CreatedAt, m.Situation, m.Type = at, own[i].Situation, own[i].Type
		out = append(out, m)
	}
	return out
}

// otherDigits replaces every digit but 0.
func otherDigits(text string, r *rand.Rand) string {
	return strings.Map(func(c rune) rune {
		if c < '1' || c > '9' {
			return c
		}
		return '1' + (c-'1'+1+rune(r.IntN(8)))%9
	}, text)
}
