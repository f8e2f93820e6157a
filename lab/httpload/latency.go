package main

import (
	"fmt"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/stdio"
)

// warmUp is the number of searches that are not counted.
const warmUp = 100

// latencies measures searches one after the other, over HTTP and over stdio in turns, so that both see the same
// machine.
func (o *options) latencies() error {
	c := o.client()
	if err := o.api.begin(c); err != nil {
		return err
	}
	var beside *stdio.Client
	if len(o.stdio) > 0 {
		var err error
		if beside, err = stdio.Hello(o.stdio...); err != nil {
			return err
		}
	}
	texts := corpus.New(13, o.words)
	var over, in []time.Duration
	for i := range o.latency + warmUp {
		query := texts.Query()
		began := time.Now()
		if err := o.api.search(c, query); err != nil {
			return err
		}
		took := time.Since(began)
		if i >= warmUp {
			over = append(over, took)
		}
		if beside == nil {
			continue
		}
		began = time.Now()
		if _, err := beside.Tool("hippo_search_insights", object{"query": query}); err != nil {
			return err
		}
		if i >= warmUp {
			in = append(in, time.Since(began))
		}
	}
	row(fmt.Sprintf("search over HTTP, keep-alive, median of %d", o.latency), ms(percentile(over, .5)), "")
	row("  95th percentile", ms(percentile(over, .95)), "")
	if beside == nil {
		return nil
	}
	row("  over stdio", ms(percentile(in, .5)), "")
	row("  HTTP is slower by", ms(percentile(over, .5)-percentile(in, .5)), "at most 0.5 ms, goal 0.3")
	return beside.Stop()
}
