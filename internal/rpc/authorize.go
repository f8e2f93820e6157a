package rpc

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// maxWait is the longest that a caller from outside makes a search wait for an index.
const maxWait = 10 * time.Second

// DoWithin is [Dispatcher.Do] for a caller from outside, who may do no more than allowed says, whatever the call claims.
// The error, beside the reply, is that of the verb, for logs. Of the machine a caller without
// [hippo.RightAdmin] learns nothing: memories have no revision, and discreet replaces errors.
func (d *Dispatcher) DoWithin(ctx context.Context, allowed hippo.Scope, call []byte, discreet func(error) error) (reply []byte, failed bool, err error) {
	out, err := d.run(ctx, call, func(c *engine.Call, v engine.Verb) error {
		var err error
		if c.Scope, err = within(c.Scope, allowed); err != nil {
			return err
		}
		if c.Wait = min(c.Wait, maxWait); c.Wait < 0 {
			c.Wait = maxWait
		}
		if !allowed.Allows(v.Rights) {
			return fmt.Errorf("%w: the caller has no right to do this", hippo.ErrForbidden)
		}
		return nil
	})
	shown := err
	if !allowed.Allows(hippo.RightAdmin) {
		hideRevisions(reflect.ValueOf(out))
		if err != nil {
			shown = discreet(err)
		}
	}
	reply, failed = replyOf(out, shown)
	return reply, failed, err
}

// Failure returns an error as the reply of a call that failed.
func Failure(err error) []byte {
	reply, _ := replyOf(nil, err)
	return reply
}

// within returns what a caller asks for of what is allowed. No namespace is that of the caller.
func within(asked, allowed hippo.Scope) (hippo.Scope, error) {
	if asked.Namespace != "" && asked.Namespace != allowed.Namespace {
		return hippo.Scope{}, fmt.Errorf("%w: the token is not of namespace %q", hippo.ErrForbidden, asked.Namespace)
	}
	asked.Namespace = allowed.Namespace
	asked.Rights &= allowed.Rights
	switch {
	case asked.Projects == nil:
		asked.Projects = allowed.Projects
	case allowed.Projects != nil:
		asked.Projects = slices.DeleteFunc(asked.Projects, func(p string) bool { return !slices.Contains(allowed.Projects, p) })
	}
	return asked, nil
}

// hideRevisions removes the revisions of all memories in a result: they count the changes of all tenants.
func hideRevisions(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if m, ok := reflect.TypeAssert[*hippo.Memory](v); ok && m != nil {
			m.Revision = 0
			return
		}
		hideRevisions(v.Elem())
	case reflect.Slice:
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Struct, reflect.Slice:
		default:
			return
		}
		for i := range v.Len() {
			hideRevisions(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				hideRevisions(v.Field(i))
			}
		}
	default:
	}
}
