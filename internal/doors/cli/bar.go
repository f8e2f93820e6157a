package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	barWidth = 30
	// barInterval is how often a bar is drawn at most.
	barInterval = 65 * time.Millisecond
)

// bar shows on a terminal how far something is.
type bar struct {
	w           io.Writer // nil: it shows nothing
	now         func() time.Time
	what        string
	done, total int64 // total 0: it is unknown
	began       time.Time
	drawn       time.Time
	columns     int // of what was drawn last
}

// newBar returns a bar of n entries, which shows nothing where there is no terminal; n 0 is unknown.
func newBar(s *shell, n int, what string) *bar {
	b := &bar{now: s.now, what: what, total: int64(n), began: s.now()}
	if s.isTerminal(s.errw) {
		b.w = s.errw
		b.draw()
	}
	return b
}

// set shows how much of a total is done.
func (b *bar) set(done, total int64) {
	b.done, b.total = done, total
	if b.w != nil && (done == total || b.now().Sub(b.drawn) >= barInterval) {
		b.draw()
	}
}

// add shows that one more is done.
func (b *bar) add() { b.set(b.done+1, b.total) }

// at shows how much is done.
func (b *bar) at(done int) { b.set(int64(done), b.total) }

// finish removes the bar from the terminal.
func (b *bar) finish() {
	if b.w != nil {
		fmt.Fprintf(b.w, "\r%*s\r", b.columns, "")
	}
}

func (b *bar) draw() {
	b.drawn = b.now()
	line := b.line(b.drawn.Sub(b.began).Truncate(time.Second))
	columns := len([]rune(line))
	fmt.Fprintf(b.w, "\r%s%*s", line, max(b.columns-columns, 0), "")
	b.columns = columns
}

// line returns the bar after a time.
func (b *bar) line(took time.Duration) string {
	if b.total <= 0 {
		return fmt.Sprintf("%s (%d) [%v]", b.what, b.done, took)
	}
	done := min(max(b.done, 0), b.total)
	left := time.Duration(0)
	if done > 0 {
		left = time.Duration(float64(took) / float64(done) * float64(b.total-done)).Truncate(time.Second)
	}
	full := int(done * barWidth / b.total)
	return fmt.Sprintf("%s %3d%% |%s%s| (%d/%d) [%v:%v]", b.what, done*100/b.total,
		strings.Repeat("█", full), strings.Repeat(" ", barWidth-full), done, b.total, took, left)
}
