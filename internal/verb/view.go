package verb

import "github.com/hippo-memory/hippo"

// The limits of max_tokens of the tools that read.
const (
	DefaultTokens = 1200
	MinTokens     = 200 // room for a heading with notes and the beginning of a hit
	MaxTokens     = 100_000
	// MaxJSONTokens is for programs, which read JSON: the largest content fits.
	MaxJSONTokens = 1_000_000
)

// The values of the argument format of all tools.
const (
	FormatText = "text"
	FormatJSON = "json"
)

// FormatArg is the argument that says whether a tool answers a model or a program.
func FormatArg(to *string) Arg {
	return Arg{Name: "format", Values: []string{FormatText, FormatJSON}, To: to}
}

// Tokens limits a result, by an estimate of its tokens.
type Tokens struct{ given *int }

// Arg is the argument of the limit.
func (t *Tokens) Arg() Arg {
	return Arg{Name: "max_tokens", Field: "MaxTokens", Rules: Schema{"default": DefaultTokens}, Is: Listed | Count, To: &t.given}
}

// Limit returns the limit of a result, as JSON or as text.
func (t *Tokens) Limit(json bool) (int, error) {
	most := MaxTokens
	if json {
		most = MaxJSONTokens
	}
	switch {
	case t.given == nil:
		return DefaultTokens, nil
	case *t.given < MinTokens || *t.given > most:
		return 0, hippo.Fieldf("max_tokens", "must be between %d and %d, got %d", MinTokens, most, *t.given)
	default:
		return *t.given, nil
	}
}

// Details are the values of the argument detail: a line for each hit, or the whole.
func Details() []string { return []string{"compact", DetailFull} }

// DetailFull shows the whole of each hit.
const DetailFull = "full"

// View selects what a model sees of a page of hits.
type View struct {
	Detail string
	Tokens
}

// Args are the arguments that fill a View.
func (v *View) Args() []Arg {
	return []Arg{{Name: "detail", Values: Details(), Is: Listed, To: &v.Detail}, v.Arg()}
}
