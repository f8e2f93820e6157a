package cli

import (
	"context"
	"io"
	"time"
)

// MainAt is [Main] with a clock.
func MainAt(ctx context.Context, now func() time.Time, args []string, in io.Reader, out, errw io.Writer) int {
	return mainAt(ctx, now, args, in, out, errw)
}

// ExitCode is for the tests of its table.
func ExitCode(err error) int { return exitCode(err) }

// Layout returns the widths of the columns ID, content and situation.
func Layout(columns int) (id, content, situation int) {
	l := layoutFor(columns)
	return l.id, l.content, l.situation
}
