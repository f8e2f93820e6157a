package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	s := &shell{errw: &out, now: func() time.Time { return now }, isTerminal: func(any) bool { return true }}
	b := newBar(s, 0, "importing")
	now = now.Add(2 * time.Second)
	b.set(25, 100)
	b.set(26, 100) // too soon to be drawn
	now = now.Add(time.Second)
	b.add()
	b.finish()
	want := []string{
		"", "importing (0) [0s]",
		"importing  25% |" + strings.Repeat("█", 7) + strings.Repeat(" ", 23) + "| (25/100) [2s:6s]",
		"importing  27% |" + strings.Repeat("█", 8) + strings.Repeat(" ", 22) + "| (27/100) [3s:8s]",
		strings.Repeat(" ", 64), "",
	}
	if got := out.String(); got != strings.Join(want, "\r") {
		t.Errorf("drawn:\n%q\nwant:\n%q", got, strings.Join(want, "\r"))
	}
	out.Reset()
	s.isTerminal = func(any) bool { return false }
	b = newBar(s, 1, "importing")
	b.add()
	b.finish()
	if out.Len() > 0 {
		t.Errorf("without a terminal: %q", out.String())
	}
}
