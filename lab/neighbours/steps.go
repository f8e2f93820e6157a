package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/lab/others"
)

// note is a text with the question that it answers.
type note struct {
	text, question string
	tags           []string
}

func theirNotes() []note {
	return []note{
		{"The gateway crashed because retries had no jitter", "why did the gateway fail?", []string{"ops", "post mortem"}},
		{"Tea is kept in the third drawer of the kitchen", "where is the tea?", []string{"kitchen"}},
		{"PostgreSQL Needs VACUUM After Large Deletes", "what does postgres need when much is deleted?", []string{"db"}},
		{"  Deploys are frozen on Fridays.\n", "when are there no deploys?", nil},
		{"Der Schlüssel liegt unter der Matte – 鍵はマットの下 🔑", "Schlüssel unter der Matte", []string{"haus"}},
	}
}

func ourNotes() []note {
	return []note{
		{"Invoices are sent by the billing service at midnight", "when are invoices sent?", []string{"billing", "night run"}},
		{"Use Tabs Not Spaces In The Makefile", "how is the makefile indented?", []string{"style"}},
		{"The staging database is refreshed every Monday", "how often is staging refreshed?", []string{"db"}},
	}
}

// backdate makes a row older than it is. mcp-memory-service believes neither column if they differ by a day.
const backdate = "UPDATE memories SET created_at = 1600000000.25, created_at_iso = '2020-09-13T12:26:40.250000Z' WHERE content LIKE 'Tea%'"

// old is a memory of another time as this program exports it.
const old = `{"content":"The first server was bought in the spring of 2021","created_at":"2021-04-05T06:07:08.250Z","tags":["history"]}` + "\n"

// thereHere stores there and reads here, what was there before the first opening and what came later.
func thereHere(p *pair) (string, error) {
	notes := theirNotes()
	for _, n := range notes[:4] {
		if _, err := p.there.Store(n.text, n.tags...); err != nil {
			return "", err
		}
	}
	err := errors.Join(p.query(nil, backdate), p.save("before"), p.startHere())
	if err != nil {
		return "", err
	}
	if _, err := p.here.List(); err != nil { // opens it
		return "", err
	}
	if _, err := os.Stat(p.file + ".before-hippo"); err != nil {
		return "", fmt.Errorf("no copy was made: %w", err)
	}
	if _, err := p.there.Store(notes[4].text, notes[4].tags...); err != nil { // both are open
		return "", err
	}
	theirs, err := p.contents(p.there)
	if err != nil {
		return "", err
	}
	ours, err := p.contents(p.here)
	if err != nil {
		return "", err
	}
	for content, r := range theirs {
		if err := sameRow(ours, content, r); err != nil {
			return "", err
		}
	}
	if len(ours) != len(notes) || len(theirs) != len(notes) {
		return "", fmt.Errorf("%d there, %d here, want %d", len(theirs), len(ours), len(notes))
	}
	for _, n := range notes {
		for content, r := range ours {
			if strings.TrimSpace(content) == strings.TrimSpace(n.text) {
				err = errors.Join(err, found(p.here, n.question, r.Key))
			}
		}
	}
	return fmt.Sprintf("%d rows, one backdated, a tag with a space, all found", len(ours)), err
}

// sameRow compares what both list of a text.
func sameRow(ours map[string]others.Row, content string, r others.Row) error {
	m, ok := ours[content]
	tags := slices.DeleteFunc(slices.Clone(r.Tags), func(t string) bool { return t == "untagged" })
	switch {
	case !ok:
		return fmt.Errorf("%q is not here", content)
	case !slices.Equal(m.Tags, tags), m.Type != r.Type:
		return fmt.Errorf("%q is here %+v, there %+v", content, m, r)
	case math.Abs(m.Created-r.Created) > .002:
		return fmt.Errorf("%q was made here at %f, there at %f", content, m.Created, r.Created)
	}
	return nil
}

// hereThere stores here and reads there: listed, and found semantically.
func hereThere(p *pair) (string, error) {
	for _, n := range ourNotes() {
		if _, err := p.here.Store(n.text, n.tags...); err != nil {
			return "", err
		}
	}
	theirs, err := p.contents(p.there)
	if err != nil {
		return "", err
	}
	for _, n := range ourNotes() {
		r, ok := theirs[n.text]
		if !ok || !slices.Equal(r.Tags, n.tags) {
			return "", fmt.Errorf("%q is there %v, %+v", n.text, ok, r)
		}
		if err := eventually(func() error { return found(p.there, n.question, r.Key) }); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d listed with their tags, and found by their vectors; one of 2021 keeps its date", len(ourNotes())), p.oldHere()
}

// oldHere imports a memory of another time and compares what both list of it.
func (p *pair) oldHere() error {
	file := filepath.Join(p.dir, "old.jsonl")
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		return err
	}
	if _, err := p.here.CLI("import", file); err != nil {
		return err
	}
	ours, err := p.contents(p.here)
	if err != nil {
		return err
	}
	theirs, err := p.contents(p.there)
	if err != nil {
		return err
	}
	for content, r := range theirs {
		if strings.HasPrefix(content, "The first server") {
			return sameRow(ours, content, r)
		}
	}
	return errors.New("what was imported is not there")
}

// sameText stores texts on both sides, in both orders, and in two cases.
func sameText(p *pair) (string, error) {
	const a, b, upper = "Backups are verified weekly", "alerts go to the on-call channel", "ALERTS GO TO THE ON-CALL CHANNEL"
	_, first := p.there.Store(a)
	_, err := p.here.Store(a)
	if err = errors.Join(first, err); err != nil {
		return "", err
	}
	if _, err := p.here.Store(b); err != nil {
		return "", err
	}
	_, again := p.there.Store(b)
	_, other := p.there.Store(upper)
	for _, err := range []error{again, other} {
		if err != nil && !errors.Is(err, others.ErrRefused) {
			return "", err
		}
	}
	theirs, err := p.contents(p.there)
	if err != nil {
		return "", err
	}
	rows, err := p.here.List()
	if err != nil {
		return "", err
	}
	here := make(map[string]int)
	for _, r := range rows {
		here[r.Content]++
	}
	_, isA := theirs[a]
	_, isB := theirs[b]
	_, isUpper := theirs[upper]
	if !isA || !isB || isUpper != (other == nil) || here[a] == 0 || here[b] == 0 || isUpper && here[upper] == 0 {
		return "", fmt.Errorf("there %v %v %v, refused %v, here %v", isA, isB, isUpper, other != nil, here)
	}
	return fmt.Sprintf("a row for each text there, refused there again %v, in capitals %v", again != nil, other != nil), nil
}

// deleted deletes here and there.
func deleted(p *pair) (string, error) {
	ours, err := p.contents(p.here)
	if err != nil {
		return "", err
	}
	theirs, err := p.contents(p.there)
	if err != nil {
		return "", err
	}
	mine, yours := ourNotes()[0], theirNotes()[0]
	if err := errors.Join(p.here.Delete(ours[mine.text].Key), p.there.Delete(theirs[yours.text].Key)); err != nil {
		return "", err
	}
	return "each is gone on the other side", errors.Join(
		p.absent(p.there, mine, theirs[mine.text].Key), p.absent(p.here, yours, ours[yours.text].Key),
		p.absent(p.here, mine, ours[mine.text].Key), p.absent(p.there, yours, theirs[yours.text].Key),
	)
}

// absent says whether a program still has a note.
func (p *pair) absent(s *others.Session, n note, key string) error {
	list, err := p.contents(s)
	if err != nil {
		return err
	}
	if _, ok := list[n.text]; ok {
		return fmt.Errorf("%s still lists %q", s.Program.Name, n.text)
	}
	if found(s, n.question, key) == nil {
		return fmt.Errorf("%s still finds %q", s.Program.Name, n.text)
	}
	return nil
}

// storedAgain stores what was deleted on the other side, and on this one.
func storedAgain(p *pair) (string, error) {
	mine, yours := ourNotes()[0], theirNotes()[0]
	if _, err := p.here.Store(yours.text, yours.tags...); err != nil {
		return "", err
	}
	_, again := p.there.Store(mine.text, mine.tags...)
	if again != nil && !errors.Is(again, others.ErrRefused) {
		return "", again
	}
	theirs, err := p.contents(p.there)
	if err != nil {
		return "", err
	}
	ours, err := p.contents(p.here)
	if err != nil {
		return "", err
	}
	_, isThere := theirs[yours.text]
	_, isHere := ours[yours.text]
	_, backThere := theirs[mine.text]
	_, backHere := ours[mine.text]
	if !isThere || !isHere || backThere != (again == nil) || backHere != backThere {
		return "", fmt.Errorf("stored here: %v there, %v here; stored there, refused %v: %v there, %v here", isThere, isHere, again != nil, backThere, backHere)
	}
	if again != nil {
		return "stored here it is back on both sides; the other program refuses to store a text that was deleted", nil
	}
	return "back on both sides", nil
}
