// Package verb declares the arguments of verbs once, for every front end: what they are called, what they mean, which values they take, and where
// those go. A front end makes its own fields, parameters or flags of them, and reads no argument that is not declared here. It holds no state.
package verb

import (
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// Arg is an argument.
type Arg struct {
	// Name is what front ends call it, but for those of As.
	Name string
	As   map[Door]string
	// Also are other names that models use, separated by spaces.
	Also string
	// Field is that of [hippo.Query] or [hippo.Filter], by which their errors call it.
	Field string
	// About says what it means, for the help of the command line and for the OpenAPI document.
	About string
	// Values are the only texts that it takes; nil: any.
	Values []string
	// Most is the largest number of elements of a list, or of bytes of a text; 0: it is not bounded here.
	Most int
	// Listed arguments are in the schemas that a model reads in every session.
	Listed bool
	// Labels is a list of short texts, which have no comma in them.
	Labels bool
	// To is where the value goes: a pointer to a text, a list of texts, a truth value or a [Time].
	To any
}

// Door is a kind of front end.
type Door int

// The front ends that have names of their own for some arguments.
const (
	MCP Door = iota
	REST
	Script
	Shell
)

// NameAt returns what a front end calls an argument.
func (a *Arg) NameAt(d Door) string {
	if name, ok := a.As[d]; ok {
		return name
	}
	if d == Shell {
		return strings.ReplaceAll(a.Name, "_", "-")
	}
	return a.Name
}

// Names maps fields of the domain to what a front end calls them.
func Names(args []Arg, d Door) map[string]string {
	out := make(map[string]string, len(args))
	for i := range args {
		if a := &args[i]; a.Field != "" {
			out[a.Field] = a.NameAt(d)
		}
	}
	return out
}

// Time is a time as it was given, in digits or in words; the zero value was not given. When a day begins depends on the zone of the store, which
// may open after arguments are read.
type Time struct {
	// Name is what the caller called it.
	Name, Text string
}

// Reading is a time that was given, and where it goes.
type Reading struct {
	Time
	To *time.Time
	// Ahead: of a recurring time the next one is meant, as for the end of a validity.
	Ahead bool
}

// Into returns a time with where it goes.
func (t Time) Into(to *time.Time) Reading { return Reading{Time: t, To: to} }

// AheadInto is [Time.Into] for a time of which the next one is meant.
func (t Time) AheadInto(to *time.Time) Reading { return Reading{Time: t, To: to, Ahead: true} }

// Read sets the times that were given, as of a time in the zone of their days. The error is a [*hippo.FieldError] with the name that the caller
// used.
func Read(now time.Time, list ...Reading) error {
	for _, r := range list {
		if strings.TrimSpace(r.Text) == "" {
			continue
		}
		read := when.At
		if r.Ahead {
			read = when.Ahead
		}
		var err error
		if *r.To, err = read(r.Name, r.Text, now); err != nil {
			return err
		}
	}
	return nil
}

// Given returns a list of texts; nil for one blank text: what is set to nothing is not given.
func Given(list []string) []string {
	if len(list) == 1 && strings.TrimSpace(list[0]) == "" {
		return nil
	}
	return list
}

// words returns texts of a kind as texts.
func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}
