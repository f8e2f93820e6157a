package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// addArgs adds flags for arguments of a verb.
func addArgs(v *pflag.FlagSet, args []verb.Arg) {
	for i := range args {
		if a := &args[i]; a.NameAt(verb.Shell) != "" {
			addArg(v, a)
			if value, ok := a.Rules["default"]; ok {
				v.Lookup(a.NameAt(verb.Shell)).DefValue = fmt.Sprint(value)
			}
			stands(v, a.NameAt(verb.Shell), cmp.Or(a.Field, a.Name))
			also(v, a.NameAt(verb.Shell), a.Name+" "+a.Also)
		}
	}
}

// addArg adds a flag for an argument.
func addArg(v *pflag.FlagSet, a *verb.Arg) {
	name := a.NameAt(verb.Shell)
	switch to := a.To.(type) {
	case interface{ Plain() any }:
		plain := *a
		plain.To = to.Plain()
		addArg(v, &plain)
	case *[]string:
		if a.Is.Has(verb.Labels) {
			addCommaList(v, to, name, a.About+"; may be repeated, or several with commas")
		} else {
			v.StringArrayVar(to, name, nil, a.About+"; may be repeated")
		}
	case *string:
		v.StringVar(to, name, *to, a.About)
	case *bool:
		v.BoolVar(to, name, *to, a.About)
	case *int:
		if name == "count" {
			v.IntVarP(to, name, "n", *to, a.About+"; --limit is the same")
		} else {
			v.IntVar(to, name, *to, a.About)
		}
	case *float64:
		v.Float64Var(to, name, *to, a.About)
	case *verb.Time:
		v.Var(&timeFlag{to, name}, name, a.About)
	case *verb.Refs:
		to.Name = name
		v.StringArrayVar(&to.Texts, name, nil, a.About+"; may be repeated")
	case **[]string:
		addGiven(v, a, to)
	case **string:
		addGiven(v, a, to)
	case **bool:
		addGiven(v, a, to)
	case **int:
		addGiven(v, a, to)
	case **float64:
		addGiven(v, a, to)
	}
}

// addGiven adds a flag for an argument that is nil unless it is given.
func addGiven[T any](v *pflag.FlagSet, a *verb.Arg, to **T) {
	value := new(T)
	plain := *a
	plain.To = value
	addArg(v, &plain)
	f := v.Lookup(a.NameAt(verb.Shell))
	f.Value = &givenFlag[T]{f.Value, value, to}
}

// givenFlag is a flag that sets a pointer when it is given.
type givenFlag[T any] struct {
	pflag.Value
	from *T
	to   **T
}

// Set implements [pflag.Value].
func (f *givenFlag[T]) Set(text string) error {
	*f.to = f.from
	return f.Value.Set(text)
}

// refuseBlank is the error for flags that are given a blank value, which changes nothing: somebody typed it.
func refuseBlank(c *cobra.Command, args []verb.Arg) error {
	for i := range args {
		a := &args[i]
		f := c.Flag(a.NameAt(verb.Shell))
		if f == nil || !f.Changed {
			continue
		}
		blank := false
		switch to := a.To.(type) {
		case *verb.Time:
			if strings.TrimSpace(to.Text) == "" {
				return hippo.Fieldf(f.Name, "must be a time, or %s for no bound, got %q", verb.NoBound, to.Text)
			}
		case **string:
			blank = strings.TrimSpace(**to) == ""
		case **[]string:
			blank = strings.TrimSpace(strings.Join(**to, "")) == ""
		}
		if blank && (a.Name == "situation" || a.Name == "tags" || a.Name == "type") {
			return hippo.Fieldf(f.Name, "must not be blank; --clear %s empties it", a.Name)
		}
	}
	return nil
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
