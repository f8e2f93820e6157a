package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// commaList is a flag that may be repeated and takes several texts with commas, as every other front end does: "--tag ci,build" is
// two tags. White space around a text and empty texts between commas do not count; a flag that has no text at all keeps the empty one,
// which is refused where it makes no sense.
type commaList struct {
	to    *[]string
	given bool
}

// addCommaList adds such a flag.
func addCommaList(f *pflag.FlagSet, to *[]string, name, usage string) {
	f.Var(&commaList{to: to}, name, usage)
}

// Set implements [pflag.Value].
func (l *commaList) Set(text string) error {
	if !l.given {
		*l.to, l.given = nil, true
	}
	if strings.TrimSpace(text) == "" { // a flag that is set to nothing is not set
		return nil
	}
	before := len(*l.to)
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l.to = append(*l.to, part)
		}
	}
	if len(*l.to) == before {
		*l.to = append(*l.to, "")
	}
	return nil
}

// Type implements [pflag.Value]: it is how help shows the value.
func (*commaList) Type() string { return "strings" }

// String implements [pflag.Value].
func (l *commaList) String() string {
	if l.to == nil || len(*l.to) == 0 {
		return ""
	}
	return strings.Join(*l.to, ",")
}
