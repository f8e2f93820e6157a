package prose_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/prose"
)

func TestPasted(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"The deploy fails with a timeout.":              false,
		"we ship 3 services: api, web and jobs":         false,
		"2026-11-27T10:00:01 INFO started":              true,
		"Traceback (most recent call last):":            true,
		`  File "/srv/app/main.py", line 214, in run`:   true,
		"    return self.client.post(url)":              true,
		"\treturn nil":                                  true,
		"    at Object.run (/app/index.js:12:3)":        true,
		"at run (x)":                                    true,
		"at async Promise.all (index 0)":                true,
		"at Array.map (<anonymous>)\n":                  true,
		"at Store.save [as write] (node:fs:12:3)":       true,
		"at file:///app/index.mjs:12:3":                 true,
		"at home (when the office is closed)":           false,
		"at noon the job starts":                        false,
		"| port | 8080 |":                               true,
		"> what you wrote yesterday":                    true,
		"+ added line":                                  true,
		"cpu: 10 memory: 20 disk: 30 network: 40 total": true,
		"error TS2304: Cannot find name 'x'":            true,
	} {
		if got := prose.Pasted(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                      nil,
		"One. Two! Three? Four": {"One.", "Two!", "Three?", "Four"},
		"Use v1.2, e.g. for the api; not for jobs.": {"Use v1.2, e.g. for the api;", "not for jobs."},
		"部署失败了。为什么？":                                {"部署失败了。", "为什么？"},
		"1. first point":                            {"1. first point"},
	} {
		if got := prose.Sentences(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
