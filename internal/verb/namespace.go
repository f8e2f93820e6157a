package verb

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Namespace names a namespace of the store; the empty name is the default one.
type Namespace struct{ name *string }

// Args are the arguments that fill a Namespace.
func (n *Namespace) Args() []Arg {
	return []Arg{{Name: "namespace", As: lacking(Shell), Is: Verbatim, About: `its name; required, and "" is the default one`, To: &n.name}}
}

// Given returns the name. The error is a [*hippo.FieldError].
func (n *Namespace) Given() (string, error) {
	if n.name == nil {
		return "", hippo.Fieldf("namespace", `is required; "" is the default one`)
	}
	return *n.name, nil
}

// Limit changes the limits of a namespace.
type Limit struct {
	Namespace
	api.NamespaceLimit
}

// Args are the arguments that fill a Limit. The command line has units.
func (l *Limit) Args() []Arg {
	about := func(name, text string, to **int) Arg {
		return Arg{Name: name, As: lacking(Shell), About: text + "; 0: no limit", Rules: Schema{"minimum": 0}, To: to}
	}
	return append(l.Namespace.Args(),
		about("memories", "the most memories that it may keep, forgotten ones included", &l.Memories),
		about("bytes", "the largest size of the texts of all of its memories together", &l.Bytes),
		about("requests", "how many requests a minute each server answers", &l.Requests),
	)
}
