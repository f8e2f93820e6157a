package grid

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is a way to ask a question.
type form struct {
	name string
	of   func(question string, r *rand.Rand) string
}

func forms() []form {
	return []form{
		{baseForm, func(q string, _ *rand.Rand) string { return q }},
		{"remember", func(q string, _ *rand.Rand) string { return "can you remember " + q }},
		{"prompt", func(q string, _ *rand.Rand) string { return before + sentence(q) + after }},
		{"trace", func(q string, _ *rand.Rand) string { return q + trace }},
		{"capitals", func(q string, _ *rand.Rand) string { return strings.ToUpper(q) }},
		{"typos", typos},
		{"twice", func(q string, _ *rand.Rand) string { return q + " " + q }},
	}
}

func formNamed(name string) form {
	all := forms()
	return all[slices.IndexFunc(all, func(f form) bool { return f.name == name })]
}

// What stands before and after a question in a prompt of some 90 words.
const (
	before = "I have been working on this for a while now and the sprint ends tomorrow, so I would like to be done with it before lunch if " +
		"that is possible at all. Yesterday I already cleaned up the folder structure and renamed a few helpers, and the linter is quiet again. " +
		"Please keep the style of the surrounding files and do not add any dependency, we can talk about that in the review. "
	after = " Once you have that, go ahead with the change in small commits and run the tests after each of them."
)

// trace is what a terminal printed, below a question.
const trace = `

Traceback (most recent call last):
  File "/srv/app/main.py", line 214, in <module>
    run(sys.argv[1:])
  File "/srv/app/runner.py", line 88, in run
    result = handler.process(batch, timeout=30)
  File "/srv/app/handlers/base.py", line 141, in process
    return self._client.post(self.url, json=payload).json()
  File "/usr/lib/python3.12/site-packages/requests/models.py", line 975, in json
    raise RequestsJSONDecodeError(e.msg, e.doc, e.pos)
requests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
npm ERR! code ELIFECYCLE
npm ERR! errno 1
npm ERR! web@4.2.0 build: ` + "`vite build`"

// sentence is a question with a capital at its beginning and a mark at its end.
func sentence(q string) string {
	first, size := utf8.DecodeRuneInString(q)
	q = string(unicode.ToUpper(first)) + q[size:]
	if !strings.ContainsAny(q[len(q)-1:], "?.!") {
		q += "?"
	}
	return q
}

// typos swaps two letters of four in ten long words, and of the longest word in any case.
func typos(q string, r *rand.Rand) string {
	words := strings.Fields(q)
	longest := 0
	for i, w := range words {
		if len([]rune(w)) > len([]rune(words[longest])) {
			longest = i
		}
	}
	for i, w := range words {
		if letters := []rune(w); len(letters) > 5 && (i == longest || r.Float64() < .4) {
			at := 1 + r.IntN(len(letters)-3)
			letters[at], letters[at+1] = letters[at+1], letters[at]
			words[i] = string(letters)
		}
	}
	return strings.Join(words, " ")
}
