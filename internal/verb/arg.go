// Package verb declares the arguments of verbs once, for every front end: what they are called, what they mean, which values they take, and where
// those go. A front end makes its own fields, parameters or flags of them, and reads no argument that is not declared as one. It holds no state.
package verb

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Arg is an argument.
type Arg struct {
	// Name is what front ends call it, but for those of As. Those whose name is empty do not have it.
	Name string
	As   map[Door]string
	// Also are other names that models use, separated by spaces.
	Also string
	// Field is that of a request of the domain, by which its errors call it, or several, separated by spaces; errors may also call it Name.
	Field string
	// About says what it means, for the help of the command line and for the OpenAPI document; Brief for the schema that a model reads.
	About, Brief string
	// Values are the only texts that it takes; nil: any.
	Values []string
	// Rules are limits and the default, for schemas. The decoder checks those of numbers, the engine all of them.
	Rules Schema
	Is    Trait
	// To is where the value goes: a pointer to a text, a number, a truth value or a list of texts, or to a pointer to one, an [Object] or a
	// [Value]; in a [Table], what makes one.
	To any
	Said
}

// Trait is a property of an argument; several are added.
type Trait uint8

// The traits of arguments.
const (
	// Required: it must be given.
	Required Trait = 1 << iota
	// Wanted: the schema that a model reads requires it, though it may be left out.
	Wanted
	// Listed arguments are in the schemas that a model reads in every session.
	Listed
	// Labels is a list of short texts, which have no comma in them.
	Labels
	// Count is a number of which 0 is none: models and programs mean the default by it.
	Count
	// Words is a text that may be given as a list of words.
	Words
	// Verbatim: a blank value is a value; only null stands for none. One that is required must not be blank.
	Verbatim
	// Unlisted: the schema of a [Table] lacks it.
	Unlisted
)

// Has reports whether an argument has a trait.
func (t Trait) Has(x Trait) bool { return t&x != 0 }

// Said is what a caller said of an argument.
type Said struct {
	// Given is the name that the caller used; empty: the argument was not given.
	Given string
	// Blank: it was given a value that stands for none, other than null.
	Blank bool
}

// Door is a kind of front end. It decides what arguments are called, and how their values are read: REST and SHODH take values of the type that their
// document says; the others also take what can only be meant in one way.
type Door int

// The front ends.
const (
	MCP Door = iota
	REST
	Script
	Shell
	// SHODH is SHODH REST, whose clients have several names for an argument.
	SHODH
)

// strict reports whether values must have the type that a document says.
func (d Door) strict() bool { return d == REST || d == SHODH }

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

// lacking is the [Arg.As] of an argument that some front ends do not have.
func lacking(doors ...Door) map[Door]string {
	out := make(map[Door]string, len(doors))
	for _, d := range doors {
		out[d] = ""
	}
	return out
}

// Without returns arguments without those of some names. The arguments that it is given stay.
func Without(args []Arg, names ...string) []Arg {
	return slices.DeleteFunc(slices.Clone(args), func(a Arg) bool { return slices.Contains(names, a.Name) })
}

// Named returns an error with the name that the caller used for the argument that it is about, an index or a key in it aside. Errors that are not
// about one of the arguments stay as they are.
func Named(err error, d Door, args []Arg) error {
	bad, ok := errors.AsType[*hippo.FieldError](err)
	if !ok {
		return err
	}
	field, index, _ := strings.Cut(bad.Field, "[")
	name := d.nameOf(field, args)
	switch {
	case name == "" || name == field:
		return err
	case index != "":
		name += "[" + index
	}
	return &hippo.FieldError{Field: name, Why: bad.Why}
}

// nameOf returns what the caller called the argument for a field of the domain, with the path of the object that it is in; empty if there is none.
func (d Door) nameOf(field string, args []Arg) (name string) {
	given := false
	for i := range args {
		a := &args[i]
		own := cmp.Or(a.Given, a.NameAt(d))
		switch object, ok := a.To.(Object); {
		case own == "" || given || name != "" && a.Given == "":
		case field == a.Name || slices.Contains(strings.Fields(a.Field), field):
			name, given = own, a.Given != ""
		case ok:
			if inner := d.nameOf(field, object.Args()); inner != "" {
				name, given = own+"."+inner, a.Given != ""
			}
		}
	}
	return name
}

// words returns texts of a kind as texts.
func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}
