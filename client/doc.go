// Package client is the Go API of Hippo, a memory for AI agents.
//
// [Open] opens a store in this process. Several processes may use one store at a time, the
// hippo program among them. The verbs are methods of [Client]: record an insight, search for
// insights, vote on those that helped, forget.
//
//	c, err := client.Open(ctx, "sqlite:memory.db")
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	_, err = c.Record(ctx, "Retries need jitter", client.Situation("debugging outages"))
//	answer, err := c.Search(ctx, "why do retries fail at the same time?")
//
// When Record and the other verbs that write return without an error, what they wrote is
// durable. Errors are classified by package [hippo]: test with [errors.Is] for
// [hippo.ErrInvalid], [hippo.ErrNotFound] and the others, or take [hippo.CodeOf].
package client
