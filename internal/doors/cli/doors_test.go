package cli_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var updateDoors = flag.Bool("update-doors", false, "write what the doors answer to testdata/doors/requests.txt")

// door is a front end with a store of its own.
type door interface {
	// do carries a request out: a verb, and its arguments by their names in the table. It returns what the answer shows, or the error.
	do(verb string, args map[string]any) (shown string, refused *refusal)
	// close ends it.
	close()
}

// refusal is an error as a door reports it. A field has the name that the caller wrote.
type refusal struct {
	Code, Field, Message string
}

// absent is what a door answers that does not have a verb or an argument.
const absent = "absent"

// doorRequest is a request of the table, with the answer of most doors, and those of the others with the reason why they differ.
type doorRequest struct {
	line, verb string
	args       map[string]any
	want       string
	differ     []difference
}

// difference is what some doors answer instead.
type difference struct {
	doors          []string
	answer, reason string
}

// TestDoors sends the requests of testdata/doors/requests.txt through every door, each to a store of its own that has the same memories. The answers
// are equal, or the table says which differ and why.
func TestDoors(t *testing.T) {
	t.Parallel()
	list := doorRequests(t)
	answers := make(map[string][]string)
	var mu sync.Mutex
	t.Run("ask", func(t *testing.T) {
		for name, open := range doors() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				d := open(t, dir)
				defer d.close()
				var out []string
				for i := range list {
					if _, named := list[i].args["project"]; foreign(name) && !named {
						out = append(out, "")
						continue
					}
					shown, refused := d.do(list[i].verb, list[i].args)
					out = append(out, asText(list[i].verb, shown, refused))
				}
				mu.Lock()
				defer mu.Unlock()
				answers[name] = out
			})
		}
	})
	if t.Failed() {
		return
	}
	if *updateDoors {
		writeDoorRequests(t, list, answers)
		return
	}
	for i := range list {
		for name, got := range answers {
			if want := list[i].wanted(name); got[i] != want && got[i] != "" {
				t.Errorf("%s\n  %s: %s\n  want %s", list[i].line, name, got[i], want)
			}
		}
	}
}

// wanted is what the table says of a door.
func (r *doorRequest) wanted(door string) string {
	for _, d := range r.differ {
		if slices.Contains(d.doors, door) {
			return d.answer
		}
	}
	return r.want
}

// asText is an answer as the table has it: "done" of a verb that writes, the words of the memories that another one shows, in their order, or the
// error.
func asText(verb, shown string, refused *refusal) string {
	switch {
	case refused == nil && slices.Contains(strings.Fields("record modify upvote downvote forget restore relate fact entities"), verb):
		return "done"
	case refused == nil:
		return seedsIn(shown)
	}
	if refused.Code == absent {
		return absent
	}
	return "error " + refused.Code + " " + cmp.Or(refused.Field, "-") + ": " + refused.Message
}

// seedsIn returns the words that stand for the memories in a text, each at its first place; "none" if there are none.
func seedsIn(text string) string {
	var found []string
	for _, w := range seedWord().FindAllString(text, -1) {
		if word, is := seedIDs()[w[len(w)-2:]]; is && strings.HasPrefix(w, "0") {
			w = word
		}
		if !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return cmp.Or(strings.Join(found, " "), "none")
}

// seedWord matches the words of the memories in testdata/doors/seed.jsonl, and of those that requests record, which nothing else has.
var seedWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:0[0-9a-f-]*0000(?:a1|b2|c3|d4|e5)|amber|birch|cedar|delta|ember|fjord|grove|heath|islet|jetty|kelp|lagoon|meadow)\b`)
})

// seedIDs are the memories of seed.jsonl by the end of their IDs.
func seedIDs() map[string]string {
	return map[string]string{"a1": "amber", "b2": "birch", "c3": "cedar", "d4": "delta", "e5": "ember"}
}

// doorRequests reads the table: a line for each request, and indented lines for the answers.
func doorRequests(t *testing.T) (list []doorRequest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "doors", "requests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		answer, indented := strings.CutPrefix(line, "    ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case !indented:
			r := doorRequest{line: line}
			var raw string
			r.verb, raw, _ = strings.Cut(line, " ")
			if err := json.Unmarshal([]byte(cmp.Or(raw, "{}")), &r.args); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			list = append(list, r)
		default:
			list[len(list)-1].answer(t, answer)
		}
	}
	return list
}

// answer adds an answer of the table: "= ANSWER", or "DOOR DOOR = ANSWER # REASON".
func (r *doorRequest) answer(t *testing.T, line string) {
	t.Helper()
	names, answer, ok := strings.Cut(line, "= ")
	if !ok {
		t.Fatalf("%s: %q is no answer", r.line, line)
	}
	if names == "" {
		r.want = answer
		return
	}
	answer, reason, _ := strings.Cut(answer, " # ")
	if strings.TrimSpace(reason) == "" && !*updateDoors {
		t.Errorf("%s: %s is a difference without a reason", r.line, names)
	}
	r.differ = append(r.differ, difference{strings.Fields(names), answer, reason})
}

// writeDoorRequests writes the table with the answers that the doors gave; the reasons are kept.
func writeDoorRequests(t *testing.T, list []doorRequest, answers map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "doors", "requests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	i := 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "    "):
			continue
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			b.WriteString(line)
			continue
		}
		b.WriteString(line)
		by := make(map[string][]string)
		for name, got := range answers {
			if got[i] != "" {
				by[got[i]] = append(by[got[i]], name)
			}
		}
		most := ""
		for answer, names := range by {
			slices.Sort(names)
			n := len(by[most])
			if most == absent {
				n = 0
			}
			if answer != absent && (len(names) > n || len(names) == n && answer < most) || n == 0 {
				most = answer
			}
		}
		fmt.Fprintf(&b, "    = %s\n", most)
		var others []string
		for answer, names := range by {
			if answer != most {
				others = append(others, fmt.Sprintf("    %s = %s # %s\n", strings.Join(names, " "), answer, list[i].reason(names)))
			}
		}
		slices.Sort(others)
		b.WriteString(strings.Join(others, ""))
		i++
	}
	if err := os.WriteFile(filepath.Join("testdata", "doors", "requests.txt"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// reason is the one that the table has for some of these doors.
func (r *doorRequest) reason(names []string) string {
	for _, d := range r.differ {
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(d.doors, n) }) {
			return d.reason
		}
	}
	return ""
}
