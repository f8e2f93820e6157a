package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hippo-memory/hippo"
)

// Verb is a verb that another process can call.
type Verb struct {
	Name    string
	Run     func(ctx context.Context, m *Memories, args []byte) (any, error)
	In, Out reflect.Type
	// Rights that a caller from outside needs beside that to read.
	Rights hippo.Rights
}

// Named returns a verb under its name, with the rights of its spec.
func Named(v Verb, name string) Verb {
	v.Name, v.Rights = name, specs()[name].rights
	return v
}

// VerbOf returns the verb that local carries out, without its name.
func VerbOf[In, Out any](local func(context.Context, *Memories, In) (Out, error)) Verb {
	return newVerb("", 0, local)
}

func newVerb[In, Out any](name string, rights hippo.Rights, run func(context.Context, *Memories, In) (Out, error)) Verb {
	return Verb{
		Name: name, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), Rights: rights,
		Run: func(ctx context.Context, m *Memories, args []byte) (any, error) {
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

// NewVerb returns a verb of a package above this one, with a name that no other one has, which needs rights; see [CallVerb].
func NewVerb[In, Out any](name string, rights hippo.Rights, run func(context.Context, *Memories, In) (Out, error)) Verb {
	return newVerb(name, rights, run)
}

// CallerOf returns the scope in which a [Verb] runs, and whether it may have run before.
func CallerOf(m *Memories) (scope hippo.Scope, retried bool) { return m.Scope, m.Retried }

// CallVerb carries out a [Verb] where the store is; the engine of m is one of [NewRemote]. Out is a pointer.
func CallVerb(ctx context.Context, m *Memories, name string, in, out any) error {
	return m.Remote.Call(ctx, &Call{Verb: name, Scope: m.Scope, AllowSecrets: m.SecretsAllowed, Wait: m.Wait, Args: in}, out)
}
