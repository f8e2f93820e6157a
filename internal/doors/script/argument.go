package script

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/verb"
)

// input is the arguments of a function, which know how to carry it out.
type input interface {
	verb.Object
	call(ctx context.Context, s *session, c *sandbox.Call) (any, error)
}

// nothing is the input of a function without arguments.
type nothing func(ctx context.Context, s *session) (any, error)

// Args implements [verb.Object].
func (nothing) Args() []verb.Arg { return nil }

func (f nothing) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	return f(ctx, s)
}

// function is a function of a program.
type function struct {
	name string
	// aliases are other names of it.
	aliases []string
	// first are its first parameters, separated by spaces; the others have the order of the table.
	first  string
	writes bool
	input  func() input
}

// params returns the parameters in the order of positional arguments, and the names that stand for others.
func (f *function) params() (names []string, aliases map[string]string) {
	args := f.input().Args()
	names = strings.Fields(f.first)
	for i := range args {
		if name := args[i].NameAt(verb.Script); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	aliases = make(map[string]string)
	for i := range args {
		a := &args[i]
		for _, other := range append(strings.Fields(a.Also), a.Name, a.NameAt(verb.MCP)) {
			if name := a.NameAt(verb.Script); name != "" && !slices.Contains(names, other) {
				aliases[other] = name
			}
		}
	}
	return names, aliases
}

// clockOf returns the time in the zone of the store.
func clockOf(s *session) time.Time { return s.caller.Now().In(s.memories.Zone()) }

// listed formats ids.
func listed(ids ...hippo.ID) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Short()
	}
	return strings.Join(out, " ")
}
