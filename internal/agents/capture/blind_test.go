package capture_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// blind is a case of a set that somebody wrote who had not read the rules, in its frame.
type blind struct {
	kind, text       string
	before, in, past []entry
	frame, want      []string // words of what is kept
}

var refusing = regexp.MustCompile(`\s*\[\[(.*?)\]\]`)

// blinds reads a set. Each case stands in one of the frames, in turn.
func blinds(t testing.TB, name string) []blind {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var frames, out []blind
	for block := range strings.SplitSeq(string(b), "\n\n") {
		head, body, _ := strings.Cut(block, "\n")
		kind, ok := strings.CutPrefix(head, "== ")
		if !ok {
			continue
		}
		c, at := blind{kind: strings.Fields(kind)[0], text: body}, 0
		for line := range strings.SplitSeq(strings.TrimSpace(body), "\n") {
			switch {
			case line == "...":
				at = len(c.in)
			case line[0] == '=':
				c.want = strings.Fields(strings.ToLower(line[1:]))
			default:
				c.in = append(c.in, entry{line[0], line[3:]})
			}
		}
		if c.kind == "frame" {
			frames = append(frames, blind{frame: c.want, before: c.in[:at], past: c.in[at:]})
			continue
		}
		f := frames[len(out)%len(frames)]
		c.before, c.past, c.frame = f.before, f.past, f.frame
		out = append(out, c)
	}
	return out
}

// turns returns the conversation of the case, and how many turns its frame has before it; without its refusal if so wished.
func (c *blind) turns(t testing.TB, refused bool) []transcript.Turn {
	t.Helper()
	s := session{name: c.text, client: transcript.ClaudeCode, cwd: "/home/kim/shop", branch: "main"}
	s.entries = append(s.entries, c.before...)
	alone := false
	for _, e := range c.in {
		if refused {
			e.text = refusing.ReplaceAllString(e.text, " $1")
		} else if e.text = refusing.ReplaceAllString(e.text, ""); alone {
			alone = false // the answer to a refusal
			continue
		}
		if e.text = strings.TrimSpace(e.text); e.text == "" {
			alone = true
			continue
		}
		s.entries = append(s.entries, e)
	}
	s.entries = append(s.entries, c.past...)
	return s.turns(t)
}

// split returns the candidates of the case, and whether that of its frame is among the others.
func (c *blind) split(t testing.TB, refused bool) (own []string, framed bool) {
	t.Helper()
	for _, found := range capture.Candidates(c.turns(t, refused)) {
		if has(found.Content, c.frame) {
			framed = true
			continue
		}
		own = append(own, found.Content)
	}
	return own, framed
}

func has(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// What is refused is not kept, what stands around it is, and so is what merely has the words of a refusal.
func TestCandidates_Blind(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"blind-1.txt", "blind-2.txt"} {
		n := map[string]int{}
		for _, c := range blinds(t, name) {
			own, framed := c.split(t, true)
			n[c.kind]++
			if !framed {
				n[c.kind+" frame lost"]++
				t.Errorf("%s: lost what stands around %q", name, c.text)
			}
			if c.kind == "near" {
				if slices.Contains(capture.Refused(c.turns(t, true)), true) {
					t.Errorf("%s: taken for a refusal: %q", name, c.text)
				}
				if has(strings.Join(own, "\n"), c.want) {
					n["near kept"]++
				} else {
					t.Logf("%s: not kept: %q", name, c.text)
				}
				continue
			}
			if plain, _ := c.split(t, false); len(plain) > 0 {
				n["kept without the refusal"]++
			} else {
				t.Logf("%s: not kept in any case: %q", name, c.text)
			}
			if len(own) > 0 {
				n["kept"]++
				t.Errorf("%s: kept %q", name, own)
			}
		}
		if t.Logf("%s: %v", name, n); n["near kept"]*40 < n["near"]*39 {
			t.Errorf("%s: %d of %d near misses are kept", name, n["near kept"], n["near"])
		}
	}
}

// The private life of people is kept only when asked; what merely has its words is kept.
func TestCandidates_BlindPrivate(t *testing.T) {
	t.Parallel()
	ask := map[string]string{
		"en": "Remember: ", "de": "Merk dir: ", "fr": "Retiens : ", "es": "Recuerda: ", "it": "Ricorda: ", "pt": "Lembre: ",
	}
	for _, name := range []string{"blind-3.txt", "blind-4.txt"} {
		n := map[string]int{}
		for _, line := range table(t, name) {
			kind, rest, _ := strings.Cut(line, " ")
			n[kind]++
			keeps := func(text string) bool { return len(capture.Candidates(talk(text))) > 0 }
			if kind == "near" {
				if _, text, _ := strings.Cut(rest, ": "); !keeps(text) {
					n["near lost"]++
					t.Errorf("%s: lost %q", name, text)
				}
				continue
			}
			language, text, _ := strings.Cut(rest, " ")
			if keeps(text) {
				n["kept"]++
				t.Errorf("%s: kept %q", name, text)
			}
			if !keeps(ask[language] + text) {
				n["not kept when asked"]++
				t.Errorf("%s: asked for, and not kept: %q", name, ask[language]+text)
			}
		}
		t.Logf("%s: %v", name, n)
	}
}
