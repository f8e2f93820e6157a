package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// pair is a question and two memories that answer it about as well.
type pair struct{ question, a, b string }

func rivals() []pair {
	return []pair{
		{"how do we deploy the gateway", "Deploy the gateway with the blue-green script, it needs no downtime", "The gateway is deployed by the release job on Tuesdays"},
		{"why did the build fail on arm", "The arm build failed because the linker ran out of memory", "Builds on arm fail when the cache was made on amd64"},
		{"where are the backups kept", "Backups are kept in the bucket eu-archive for ninety days", "A copy of each backup lies on the old file server in the basement"},
		{"what does Anna prefer for lunch", "Anna likes ramen for lunch when it rains", "For lunch Anna prefers a salad without onions"},
		{"how to rotate the signing key", "Rotate the signing key with keyctl and restart the proxy", "The signing key is rotated by the security team each quarter"},
		{"which port does the metrics server use", "The metrics server uses port 9102 in production", "On developers' machines the metrics server listens on port 19102"},
		{"what to do when the queue is stuck", "A stuck queue: drain it, then restart the consumers one by one", "When the queue is stuck, look for a poison message first"},
		{"who reviews changes of the schema", "Changes of the schema are reviewed by Boris", "The data team has to review each change of the schema"},
		{"how long are sessions valid", "Sessions are valid for twelve hours", "A session of an administrator is valid for twenty minutes"},
		{"how do I reset the test database", "Reset the test database with make db-reset", "The test database is reset by dropping the volume and starting compose again"},
		{"what did we decide about retries", "We decided to use three retries with jitter", "Decision: no retries for payments, they are not idempotent"},
		{"when is the office closed", "The office is closed between Christmas and New Year", "On the first Friday of a month the office is closed after noon"},
	}
}

// playRivals reports in how many pairs three votes change the order: for the second, and against
// the first. Each case has a store of its own with the memories of all pairs.
func playRivals(ctx context.Context, w io.Writer, m models, weights *rank.Weights) error {
	changed, apart := [2]int{}, 0.0
	var docs []*hippo.Memory
	for _, p := range rivals() {
		docs = append(docs, memoryOf(p.a), memoryOf(p.b))
	}
	for _, p := range rivals() {
		for i := range changed {
			ok, gap, err := changes(ctx, m, docs, weights, &p, i == 0)
			if err != nil {
				return err
			}
			apart = max(apart, gap)
			if ok {
				changed[i]++
			}
		}
	}
	n := len(rivals())
	_, err := fmt.Fprintf(w, "three upvotes of the second: order changes in %d of %d; three downvotes of the first: in %d of %d; relevances at most %.0f %% apart\n", changed[0], n, changed[1], n, 100*apart)
	return err
}

func memoryOf(text string) *hippo.Memory {
	hash := hippo.HashContent(text)
	return &hippo.Memory{ID: hippo.ID(hash[:16]), Content: text, Importance: hippo.Importance{Base: .5, Value: .5}, Trust: hippo.TrustNormal, Version: 1}
}

// changes votes three times and reports whether the first of the pair is behind the other afterwards.
func changes(ctx context.Context, m models, docs []*hippo.Memory, w *rank.Weights, p *pair, up bool) (ok bool, gap float64, err error) {
	place, err := open(ctx, m, docs, opened{weights: w})
	if err != nil {
		return false, 0, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	first, second, gap, err := place.order(ctx, p)
	if err != nil {
		return false, gap, err
	}
	for range 3 {
		b := api.Reinforce{Down: []hippo.ID{first}, Query: p.question}
		if up {
			b = api.Reinforce{Up: []hippo.ID{second}, Query: p.question}
		}
		if _, err := memory.Cast(ctx, place.Memories, b); err != nil {
			return false, gap, err
		}
	}
	now, _, _, err := place.order(ctx, p)
	return now == second, gap, err
}

// order returns the memories of a pair in the order in which its question finds them, and by which
// share of its relevance the second is behind the first.
func (p *place) order(ctx context.Context, x *pair) (first, second hippo.ID, gap float64, err error) {
	first, second = memoryOf(x.a).ID, memoryOf(x.b).ID
	answer, err := query.Search(ctx, p.Memories, hippo.Query{Text: x.question, Count: eval.Depth, NoTouch: true})
	if err != nil {
		return first, second, 0, err
	}
	var relevances []float64
	for _, h := range answer.Hits {
		switch {
		case h.Memory.ID != first && h.Memory.ID != second:
			continue
		case h.Memory.ID == second && len(relevances) == 0:
			first, second = second, first
		}
		relevances = append(relevances, h.Relevance)
	}
	if len(relevances) < 2 {
		return first, second, 0, fmt.Errorf("%q does not find both", x.question)
	}
	return first, second, 1 - relevances[1]/relevances[0], nil
}
