package engine

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
	"github.com/hippo-memory/hippo/internal/store"
)

// verbs returns the table of verbs by name.
func verbs() map[string]verb {
	table := make(map[string]verb)
	add := func(rights hippo.Rights, list ...verb) {
		for _, v := range list {
			v.rights = rights
			table[v.name] = v
		}
	}
	add(hippo.RightRead,
		verbOf(search), verbOf(countUsed), verbOf(briefWithout), verbOf(list), verbOf(get), verbOf(getAt), verbOf(resolve), verbOf(shortIDs), verbOf(numbers), verbOf(compare),
		verbOf(relationsOf), verbOf(neighbours), verbOf(paths), verbOf(communities), verbOf(findEntity), verbOf(showEntity), verbOf(listEntities), verbOf(resolveNamed), verbOf(packedStatus), verbOf(projects), verbOf(locate), verbOf(resolveProject), verbOf(listProjects), verbOf(flush), verbOf(ready), verbOf(labels), verbOf(created),
		verbOf(predecessors), verbOf(operations), verbOf(formerVersions), verbOf(resolveOperation), verbOf(exportAfter), verbOf(relationsAfter), verbOf(historyAfter), verbOf(calendar), verbOf(scoreWaiting), verbOf(clusters), verbOf(audit), verbOf(saidBefore))
	add(hippo.RightWrite,
		verbOf(recordAlone), verbOf(packedRecord), verbOf(modify), verbOf(modifyAll), verbOf(supersede), verbOf(reinforce), verbOf(forget), verbOf(restore),
		verbOf(declare), verbOf(endRelations), verbOf(remove), verbOf(opened), verbOf(undo), verbOf(rescore),
		verbOf(addEntity), verbOf(modifyEntity), verbOf(removeEntity), verbOf(mergeEntities), verbOf(splitEntity), verbOf(mergeProjects),
		verbOf(importBatch), verbOf(withdraw), verbOf(indexImported), verbOf(importRelations), verbOf(importHistory), verbOf(consolidateAll))
	add(hippo.RightPurge, verbOf(purge))
	add(hippo.RightAdmin, verbOf(feedHead), verbOf(feedAfter)) // revisions count the changes of all tenants
	return table
}

// Dispatcher carries out the calls of other processes. It is safe for concurrent use.
type Dispatcher struct {
	open  func(context.Context) (*Engine, error)
	verbs map[string]verb
}

// NewDispatcher returns a Dispatcher on the engine that open returns, which may take its time at first. More are verbs of
// packages above this one.
func NewDispatcher(open func(context.Context) (*Engine, error), more ...Verb) *Dispatcher {
	table := verbs()
	for _, v := range more {
		table[v.verb.name] = v.verb
	}
	return &Dispatcher{open: open, verbs: table}
}

// Encode returns a call as bytes for [Dispatcher.Do].
func Encode(c *Call) ([]byte, error) { return encode(c) }

// Do carries out an encoded call and returns its encoded result, or, if failed, its encoded error; [Decode] takes
// both. It does not panic.
func (d *Dispatcher) Do(ctx context.Context, call []byte) (reply []byte, failed bool) {
	out, err := d.run(ctx, call, func(*Call, verb) error { return nil })
	return replyOf(out, err)
}

// replyOf returns an encoded reply.
func replyOf(out any, err error) (reply []byte, failed bool) {
	if err == nil {
		if reply, err = encode(out); err == nil {
			return reply, false
		}
	}
	reply, err = encode(newFailure(err))
	if err != nil {
		reply = []byte("{}")
	}
	return reply, true
}

// run carries out an encoded call that admit, which may change it, does not refuse.
func (d *Dispatcher) run(ctx context.Context, call []byte, admit func(*Call, verb) error) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var args json.RawMessage
	c := Call{Args: &args}
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
	m.secretsAllowed, m.wait, m.retried, m.op = c.AllowSecrets, c.Wait, c.Retried, c.Operation
	out, err = v.run(ctx, m, args)
	if c.Retried && (errors.Is(err, store.ErrDone) || errors.Is(err, hippo.ErrConflict)) { // the first attempt, which went on meanwhile, may be why
		out, err = v.run(ctx, m, args)
	}
	return out, err
}

// Decode decodes a reply of [Dispatcher.Do]: a result into out, a pointer, or the error, which it returns.
func Decode(reply []byte, failed bool, out any) error {
	if !failed {
		return json.Unmarshal(reply, out)
	}
	var f failure
	if err := json.Unmarshal(reply, &f); err != nil {
		return fmt.Errorf("the error of a call: %w", err)
	}
	return f.err()
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
	_, _ = fmt.Fprintln(h, generation, reflect.TypeFor[Call](), reflect.TypeFor[failure]())
	seen := make(map[reflect.Type]bool)
	all := verbs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, _ = fmt.Fprintln(h, name, all[name].in, all[name].out)
		for _, t := range []reflect.Type{all[name].in, all[name].out} {
			describe(t, seen, func(line string) { _, _ = fmt.Fprintln(h, line) })
		}
	}
	describe(reflect.TypeFor[Call](), seen, func(line string) { _, _ = fmt.Fprintln(h, line) })
	describe(reflect.TypeFor[failure](), seen, func(line string) { _, _ = fmt.Fprintln(h, line) })
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
