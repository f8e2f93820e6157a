package engine

import "context"

// Observer hears of the verbs of callers, for metrics and traces. It returns the context in which a verb is carried out,
// and what is called with its error afterwards. It is safe for concurrent use, and must not wait.
type Observer func(ctx context.Context, verb string) (inner context.Context, end func(err error))

type observerKey struct{}

// Observed returns a context in which o hears of the verbs.
func Observed(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// ObserverOf returns the observer of a context; nil if it has none.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}
