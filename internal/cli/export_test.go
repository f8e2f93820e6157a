package cli

// ExitCode is for the tests of its table.
func ExitCode(err error) int { return exitCode(err) }

// Layout returns the widths of the columns ID, content and situation.
func Layout(columns int) (id, content, situation int) {
	l := layoutFor(columns)
	return l.id, l.content, l.situation
}
