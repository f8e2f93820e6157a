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
	maps.Copy(table, reading())
	maps.Copy(table, writing())
	for name, v := range table {
		v.name, v.rights = name, specs()[name].rights
		table[name] = v
	}
	return table
}

// reading are the functions that carry out the verbs that change nothing but what use teaches.
func reading() map[string]verb {
	return map[string]verb{
		"search":            verbOf(search),
		"count_used":        verbOf(countUsed),
		"context":           verbOf(briefWithout),
		"list":              verbOf(list),
		"get":               verbOf(get),
		"get_at":            verbOf(getAt),
		"resolve":           verbOf(resolve),
		"short_ids":         verbOf(shortIDs),
		"numbers":           verbOf(numbers),
		"compare":           verbOf(compare),
		"relations":         verbOf(relationsOf),
		"neighbours":        verbOf(neighbours),
		"paths":             verbOf(paths),
		"communities":       verbOf(communities),
		"find_entity":       verbOf(findEntity),
		"show_entity":       verbOf(showEntity),
		"list_entities":     verbOf(listEntities),
		"resolve_named":     verbOf(resolveNamed),
		"status":            verbOf(packedStatus),
		"projects":          verbOf(projects),
		"locate":            verbOf(locate),
		"resolve_project":   verbOf(resolveProject),
		"list_projects":     verbOf(listProjects),
		"flush":             verbOf(flush),
		"ready":             verbOf(ready),
		"labels":            verbOf(labels),
		"created":           verbOf(created),
		"predecessors":      verbOf(predecessors),
		"log":               verbOf(operations),
		"versions":          verbOf(formerVersions),
		"resolve_operation": verbOf(resolveOperation),
		"export_after":      verbOf(exportAfter),
		"relations_after":   verbOf(relationsAfter),
		"history_after":     verbOf(historyAfter),
		"calendar":          verbOf(calendar),
		"score_waiting":     verbOf(scoreWaiting),
		"clusters":          verbOf(clusters),
		"audit":             verbOf(audit),
		"said_before":       verbOf(saidBefore),
		"feed_head":         verbOf(feedHead),
		"feed_after":        verbOf(feedAfter),
	}
}

// writing are the functions that carry out the others.
func writing() map[string]verb {
	return map[string]verb{
		"record":           verbOf(recordAlone),
		"record_compared":  verbOf(packedRecord),
		"modify":           verbOf(modify),
		"modify_all":       verbOf(modifyAll),
		"supersede":        verbOf(supersede),
		"reinforce":        verbOf(reinforce),
		"forget":           verbOf(forget),
		"restore":          verbOf(restore),
		"relate":           verbOf(declare),
		"end_relations":    verbOf(endRelations),
		"unrelate":         verbOf(remove),
		"opened":           verbOf(opened),
		"undo":             verbOf(undo),
		"rescore":          verbOf(rescore),
		"add_entity":       verbOf(addEntity),
		"modify_entity":    verbOf(modifyEntity),
		"remove_entity":    verbOf(removeEntity),
		"merge_entities":   verbOf(mergeEntities),
		"split_entity":     verbOf(splitEntity),
		"merge_projects":   verbOf(mergeProjects),
		"import_batch":     verbOf(importBatch),
		"withdraw":         verbOf(withdraw),
		"index_imported":   verbOf(indexImported),
		"import_relations": verbOf(importRelations),
		"import_history":   verbOf(importHistory),
		"consolidate":      verbOf(consolidateAll),
		"purge":            verbOf(purge),
	}
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
