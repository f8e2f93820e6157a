package verb

import "github.com/hippo-memory/hippo/api"

// Namespace names a namespace of the store; the empty name is the default one.
type Namespace struct{ Namespace string }

// Args are the arguments that fill a Namespace.
func (n *Namespace) Args() []Arg {
	return []Arg{{Name: "namespace", As: lacking(Shell), About: "its name; default: the namespace without a name", To: &n.Namespace}}
}

// Limit changes the limits of a namespace.
type Limit struct {
	Namespace
	By api.NamespaceLimit
}

// Args are the arguments that fill a Limit. The command line has units.
func (l *Limit) Args() []Arg {
	about := func(name, text string, to **int) Arg {
		return Arg{Name: name, As: lacking(Shell), About: text + "; 0: no limit", Rules: Schema{"minimum": 0}, To: to}
	}
	return append(l.Namespace.Args(),
		about("memories", "the most memories that it may keep, forgotten ones included", &l.By.Memories),
		about("bytes", "the largest size of the texts of all of its memories together", &l.By.Bytes),
		about("requests", "how many requests a minute each server answers", &l.By.Requests),
	)
}
