package cli

import (
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo/internal/verb"
)

// addArgs adds flags for arguments of a verb.
func addArgs(v *pflag.FlagSet, args []verb.Arg) {
	for i := range args {
		a := &args[i]
		name := a.NameAt(verb.Shell)
		switch to := a.To.(type) {
		case *[]string:
			if a.Labels {
				addCommaList(v, to, name, a.About+"; may be repeated, or several with commas")
			} else {
				v.StringArrayVar(to, name, nil, a.About+"; may be repeated")
			}
		case *string:
			v.StringVar(to, name, "", a.About)
		case *bool:
			v.BoolVar(to, name, false, a.About)
		case *verb.Time:
			v.Var(&timeFlag{to, name}, name, a.About)
		}
	}
}

// timeFlag is a flag for a time, which is read when the zone of its days is known.
type timeFlag struct {
	to   *verb.Time
	name string
}

// Set implements [pflag.Value].
func (f *timeFlag) Set(text string) error {
	*f.to = verb.Time{Name: f.name, Text: text}
	return nil
}

// Type implements [pflag.Value]: it is how help shows the value.
func (*timeFlag) Type() string { return "string" }

// String implements [pflag.Value].
func (f *timeFlag) String() string {
	if f.to == nil {
		return ""
	}
	return f.to.Text
}
