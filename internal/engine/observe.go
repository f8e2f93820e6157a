package engine

import "context"

// Observer hears of the verbs of callers, for metrics and traces. It returns the context in which a verb is carried out,
// and what is called with its error afterwards. It is safe for concurrent use, and must not wait.
type Observer func(ctx context.Context, verb string) (inner context.Context, end func(err error))
