// Package client is the Go API of Hippo, a memory for AI agents.
//
// [Open] opens a store in this process. Several processes may use one store at a time, the
// hippo program among them. The verbs are methods of [Client]: record an insight, search for
// insights, vote on those that helped, forget.
//
//	c, err := client.Open(ctx, "sqlite:memory.db", nil)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	_, err = c.Record(ctx, api.Record{Content: "Retries need jitter", Situation: []string{"debugging outages"}})
//	answer, err := c.Search(ctx, api.Search{Query: hippo.Query{Text: "why do retries fail at the same time?"}})
//
// A verb takes a struct of package [api] that is named after it, by value: Search takes an [api.Search]. One that needs no
// more than IDs, a name, or a value of package [hippo] takes these directly. Where a pointer is optional, new makes one:
// api.Record{Importance: new(0.8)}.
//
// When Record and the other verbs that write return without an error, what they wrote is
// durable. Errors are classified by package [hippo]: test with [errors.Is] for
// [hippo.ErrInvalid], [hippo.ErrNotFound] and the others, or take [hippo.CodeOf].
package client
