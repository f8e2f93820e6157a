package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hippo-memory/hippo"
)

// verb is a verb that another process can call.
type verb struct {
	name    string
	run     func(ctx context.Context, m *Memories, args []byte) (any, error)
	in, out reflect.Type
	// rights that a caller from outside needs beside that to read.
	rights hippo.Rights
}

// verbOf returns the verb that local carries out, without its name.
func verbOf[In, Out any](local func(context.Context, *Memories, In) (Out, error)) verb {
	return newVerb("", 0, local)
}

func newVerb[In, Out any](name string, rights hippo.Rights, run func(context.Context, *Memories, In) (Out, error)) verb {
	return verb{
		name: name, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), rights: rights,
		run: func(ctx context.Context, m *Memories, args []byte) (any, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil && (len(args) > 0 || reflect.TypeFor[In]().Kind() != reflect.Slice) { // a list without elements may travel as nothing
				return nil, fmt.Errorf("%w: the arguments of a call: %w", hippo.ErrInvalid, err)
			}
			if err := spelled(ctx, m); err != nil {
				return nil, err
			}
			return run(ctx, m, in)
		},
	}
}

// Verb is a verb of a package above this one that another process can call.
type Verb struct{ verb verb }

// NewVerb returns a verb with a name that no other one has, which needs rights; see [CallVerb].
func NewVerb[In, Out any](name string, rights hippo.Rights, run func(context.Context, *Memories, In) (Out, error)) Verb {
	return Verb{newVerb(name, rights, run)}
}

// CallerOf returns the scope in which a [Verb] runs, and whether it may have run before.
func CallerOf(m *Memories) (scope hippo.Scope, retried bool) { return m.scope, m.retried }

// CallVerb carries out a [Verb] where the store is; the engine of m is one of [NewRemote]. Out is a pointer.
func CallVerb(ctx context.Context, m *Memories, name string, in, out any) error {
	return m.remote.Call(ctx, &Call{Verb: name, Scope: m.scope, AllowSecrets: m.secretsAllowed, Wait: m.wait, Args: in}, out)
}
