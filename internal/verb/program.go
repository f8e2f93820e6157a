package verb

import "cmp"

// The limits of max_tokens of a program.
const (
	MinReport = 50
	MaxReport = 20_000
)

// Program is a Starlark program to run, and how.
type Program struct {
	// Source is its text.
	Source string
	// DryRun: what it writes is listed and not stored. ReadOnly: writing is an error.
	DryRun, ReadOnly bool
	// MaxTokens bounds the text of the report, by estimate: [MinReport] to [MaxReport]; 0 means [DefaultTokens].
	MaxTokens int
}

// Args are the arguments that fill a Program. The command line reads the text from a file.
func (p *Program) Args() []Arg {
	return []Arg{
		{Name: "program", As: lacking(Shell), Also: "code script", Field: "Program", Is: Required | Listed, To: &p.Source},
		{Name: "dry_run", About: "list what the program would write; store nothing", Brief: "stores nothing", Is: Listed, To: &p.DryRun},
		{Name: "read_only", About: "refuse every write", Is: Listed, To: &p.ReadOnly},
		{
			Name: "max_tokens", Field: "MaxTokens", About: "the largest text, in estimated tokens; --json prints the whole result",
			Rules: Between(MinReport, MaxReport, cmp.Or(p.MaxTokens, DefaultTokens)), Is: Listed | Count, To: &p.MaxTokens,
		},
	}
}
