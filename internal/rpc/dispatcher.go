// Package rpc carries the verbs of the engine between processes: the table of all verbs, the [Dispatcher] that carries out encoded
// calls, and the form of calls and results. Its transports are share, a unix socket, and remote, HTTP.
package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// Dispatcher carries out the calls of other processes. It is safe for concurrent use.
type Dispatcher struct {
	open  func(context.Context) (*engine.Engine, error)
	verbs map[string]engine.Verb
}

// NewDispatcher returns a Dispatcher on the engine that open returns, which may take its time at first. More are verbs of
// packages above this one.
func NewDispatcher(open func(context.Context) (*engine.Engine, error), more ...engine.Verb) *Dispatcher {
	table := Verbs()
	for _, v := range more {
		table[v.Name] = v
	}
	return &Dispatcher{open: open, verbs: table}
}

// Encode returns a call as bytes for [Dispatcher.Do].
func Encode(c *engine.Call) ([]byte, error) { return encode(c) }

// Do carries out an encoded call and returns its encoded result, or, if failed, its encoded error; [Decode] takes
// both. It does not panic.
func (d *Dispatcher) Do(ctx context.Context, call []byte) (reply []byte, failed bool) {
	out, err := d.run(ctx, call, func(*engine.Call, engine.Verb) error { return nil })
	return replyOf(out, err)
}

// replyOf returns an encoded reply.
func replyOf(out any, err error) (reply []byte, failed bool) {
	if err == nil {
		if reply, err = encode(out); err == nil {
			return reply, false
		}
	}
	reply, err = encode(engine.NewFailure(err))
	if err != nil {
		reply = []byte("{}")
	}
	return reply, true
}

// run carries out an encoded call that admit, which may change it, does not refuse.
func (d *Dispatcher) run(ctx context.Context, call []byte, admit func(*engine.Call, engine.Verb) error) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var args json.RawMessage
	c := engine.Call{Args: &args}
	if err := json.Unmarshal(call, &c); err != nil {
		return nil, fmt.Errorf("%w: a call: %w", hippo.ErrInvalid, err)
	}
	v, ok := d.verbs[c.Verb]
	if !ok {
		return nil, fmt.Errorf("%w: verb %q", hippo.ErrUnsupported, c.Verb)
	}
	if err := admit(&c, v); err != nil {
		return nil, err
	}
	e, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	m := e.In(c.Scope)
	m.SecretsAllowed, m.Wait, m.Retried, m.Op = c.AllowSecrets, c.Wait, c.Retried, c.Operation
	out, err = v.Run(ctx, m, args)
	if c.Retried && (errors.Is(err, store.ErrDone) || errors.Is(err, hippo.ErrConflict)) { // the first attempt, which went on meanwhile, may be why
		out, err = v.Run(ctx, m, args)
	}
	return out, err
}

// Decode decodes a reply of [Dispatcher.Do]: a result into out, a pointer, or the error, which it returns.
func Decode(reply []byte, failed bool, out any) error {
	if !failed {
		return json.Unmarshal(reply, out)
	}
	var f engine.Failure
	if err := json.Unmarshal(reply, &f); err != nil {
		return fmt.Errorf("the error of a call: %w", err)
	}
	return f.Err()
}

// encode is [json.Marshal] without escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// generation counts changes of the meaning of calls that leave their types as they are.
const generation = 3

// Protocol returns a name for the form of calls and results: processes whose names differ cannot call each other. It
// is derived from all types that travel. Cost: some 0.1 ms.
func Protocol() string {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, generation, reflect.TypeFor[engine.Call](), reflect.TypeFor[engine.Failure]())
	seen := make(map[reflect.Type]bool)
	all := Verbs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, _ = fmt.Fprintln(h, name, all[name].In, all[name].Out)
		for _, t := range []reflect.Type{all[name].In, all[name].Out} {
			describe(t, seen, func(line string) { _, _ = fmt.Fprintln(h, line) })
		}
	}
	describe(reflect.TypeFor[engine.Call](), seen, func(line string) { _, _ = fmt.Fprintln(h, line) })
	describe(reflect.TypeFor[engine.Failure](), seen, func(line string) { _, _ = fmt.Fprintln(h, line) })
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// describe emits the fields of a type and of those that it consists of, once each.
func describe(t reflect.Type, seen map[reflect.Type]bool, emit func(string)) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		describe(t.Elem(), seen, emit)
	case reflect.Map:
		describe(t.Key(), seen, emit)
		describe(t.Elem(), seen, emit)
	case reflect.Struct:
		for f := range t.Fields() {
			emit(t.String() + "." + f.Name + " " + f.Type.String() + " " + string(f.Tag))
			if f.IsExported() {
				describe(f.Type, seen, emit)
			}
		}
	default:
	}
}
