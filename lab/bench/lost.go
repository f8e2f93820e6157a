package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/stdio"
)

// lost counts acknowledged records that are missing afterwards, on both stores.
func (b *bench) lost(rounds int) error {
	for _, kind := range []string{"sqlite", "dir"} {
		for _, processes := range []int{1, 4} {
			store := fmt.Sprintf("%s:%s", kind, filepath.Join(b.dir, fmt.Sprintf("lost-%s-%d", kind, processes)))
			if err := b.together(store, processes, 200); err != nil {
				return err
			}
			n, err := b.count(store)
			if err != nil {
				return err
			}
			row(fmt.Sprintf("lost of %d processes x 200 pipelined, %s", processes, kind), fmt.Sprint(processes*200-n), "0")
		}
		missing, acked, err := b.kills(kind, rounds)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("lost of %d acknowledged in %d rounds of kill -9, %s", acked, rounds, kind), fmt.Sprint(missing), "0")
	}
	return nil
}

// together lets several processes record into one store at once.
func (b *bench) together(store string, processes, each int) error {
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			c, err := stdio.Hello(b.serve(store)...)
			if err == nil {
				err = pipeline(c, corpus.New(uint64(i), b.words), each)
			}
			if err == nil {
				err = c.Stop()
			}
			errs[i] = err
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) count(store string) (int, error) {
	out, err := exec.Command(b.hippo, "status", "--json", "--store", store).Output()
	if err != nil {
		return 0, err
	}
	var s struct{ Memories int }
	return s.Memories, json.Unmarshal(out, &s)
}

// kills starts a server, records without waiting, kills it at a random moment,
// and looks for every memory that was acknowledged.
func (b *bench) kills(kind string, rounds int) (missing, acked int, err error) {
	store := kind + ":" + filepath.Join(b.dir, "killed-"+kind)
	for round := range rounds {
		ids, err := b.killed(store, uint64(round))
		if err != nil {
			return 0, 0, err
		}
		acked += len(ids)
		for chunk := range chunks(ids, 100) {
			args := append([]string{"get", "--json", "--store", store}, chunk...)
			if out, err := exec.Command(b.hippo, args...).CombinedOutput(); err != nil {
				fmt.Printf("round %d: %s", round, out)
				missing++
			}
		}
	}
	return missing, acked, nil
}

func chunks(ids []string, n int) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for len(ids) > 0 {
			k := min(n, len(ids))
			if !yield(ids[:k]) {
				return
			}
			ids = ids[k:]
		}
	}
}

// killed runs one round and returns the IDs that were acknowledged.
func (b *bench) killed(store string, seed uint64) ([]string, error) {
	c, err := stdio.Hello(b.serve(store)...)
	if err != nil {
		return nil, err
	}
	w := corpus.New(seed, b.words)
	life := time.Duration(1+w.IntN(150)) * time.Millisecond
	go func() {
		for c.Post("tools/call", map[string]any{"name": "hippo_record_insight", "arguments": record(w)}) == nil {
		}
	}()
	var ids []string
	for {
		line, err := c.Out.ReadBytes('\n')
		if err != nil {
			_ = c.Cmd.Wait() // it was killed
			return ids, nil
		}
		var r struct {
			Result struct {
				Meta struct{ Hippo struct{ IDs []string } } `json:"_meta"`
			}
		}
		if err := json.Unmarshal(line, &r); err != nil || len(r.Result.Meta.Hippo.IDs) != 1 {
			return nil, fmt.Errorf("unexpected reply %s", line)
		}
		if len(ids) == 0 {
			time.AfterFunc(life, func() { _ = c.Cmd.Process.Kill() })
		}
		ids = append(ids, r.Result.Meta.Hippo.IDs[0])
	}
}
