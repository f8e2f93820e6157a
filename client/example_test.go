package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
)

// open opens a memory that is gone when the example ends, on 2 March 2026.
func open(opts ...client.Option) *client.Client {
	clock := func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
	c, err := client.Open(context.Background(), "memory:", append(opts, client.Clock(clock, time.UTC))...)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// record records an insight and returns its ID.
func record(c *client.Client, content string, opts ...client.RecordOption) hippo.ID {
	m, err := c.Record(context.Background(), content, opts...)
	if err != nil {
		log.Fatal(err)
	}
	return m.ID
}

func Example() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	record(c, "Retries need jitter, or all clients come back at the same time", client.Situation("debugging outages"))
	record(c, "The nightly export runs out of memory above 2 GB", client.Tags("export"))

	answer, err := c.Search(ctx, "why do retries fail at the same time?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Hits[0].Memory.Content)
	// Output: Retries need jitter, or all clients come back at the same time
}

// A file keeps the memory; several processes may have it open.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "hippo")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	url := "sqlite:" + filepath.Join(dir, "memory.db")
	for range 2 {
		c, err := client.Open(ctx, url, client.Project("billing"))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := c.Record(ctx, "Invoices are rounded half to even"); err != nil {
			log.Fatal(err)
		}
		s, err := c.Status(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Memories, s.Projects)
		if err := c.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 [billing]
	// 2 [billing]
}

// A record can replace an earlier one, and say what it seems to replace.
func ExampleClient_Record() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	record(c, "The gateway timeout is 30 seconds")
	m, err := c.Record(ctx, "The gateway timeout is 60 seconds", client.Importance(.8), client.Compared())
	if err != nil {
		log.Fatal(err)
	}
	for _, old := range m.Replaces {
		fmt.Println("replaces:", old.Memory.Content)
		if _, err := c.Modify(ctx, m.ID, client.SetSupersedes(old.Memory.ID)); err != nil {
			log.Fatal(err)
		}
	}
	_, err = c.Record(ctx, "too important", client.Importance(7))
	fmt.Println(err)
	fmt.Println(errors.Is(err, hippo.ErrInvalid))
	// Output:
	// replaces: The gateway timeout is 30 seconds
	// importance: must be between 0 and 1, got 7
	// true
}

func ExampleClient_Search() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	record(c, "The deploy key for staging lies in the vault", client.Tags("deploy"))
	record(c, "Never deploy on a Friday", client.Tags("deploy", "rule"))
	record(c, "Logs are kept for thirty days")

	answer, err := c.Search(ctx, "when may I deploy?", client.HasTags("rule"), client.WithoutTrace(), client.Page(0, 5))
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range answer.Hits {
		fmt.Println(h.Memory.Content, h.Memory.Tags)
	}
	// Output: Never deploy on a Friday [deploy rule]
}

// What a prompt reminds of, for an agent that begins to work on it.
func ExampleContext() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	record(c, "Never deploy on a Friday", client.Type("rule"), client.Importance(.9))
	record(c, "The cart lives in Redis", client.Type("decision"))

	text, err := client.Context(ctx, c, client.ContextQuery{Prompt: "where does the cart live?"})
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if said, _, is := strings.Cut(line, " ["); is && strings.HasPrefix(said, "- ") {
			fmt.Println(said)
		}
	}
	// Output:
	// - Never deploy on a Friday
	// - The cart lives in Redis
}

func ExampleClient_List() {
	ctx := context.Background()
	c := open(client.Project("shop"))
	defer c.Close()
	record(c, "The cart lives in Redis", client.Type("decision"))
	record(c, "Prices are in cents", client.Type("decision"))
	record(c, "Written in another project", client.Type("decision"), client.InProject("blog"))

	for _, filter := range []client.FilterOption{client.OfType("decision"), client.AllProjects()} {
		l, err := c.List(ctx, filter)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(l.Total)
	}
	// Output:
	// 2
	// 3
}

// A person types the beginning of an ID.
func ExampleClient_Get() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	short := record(c, "Secrets rotate each month").String()[:30]
	id, err := c.Resolve(ctx, short)
	if err != nil {
		log.Fatal(err)
	}
	ms, err := c.Get(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ms[0].Content, ms[0].CreatedAt.Format(time.DateOnly))
	_, err = c.Get(ctx, hippo.ID{1})
	fmt.Println(errors.Is(err, hippo.ErrNotFound), err)
	// Output:
	// Secrets rotate each month 2026-03-02
	// true no memory with id 01000000-0000-0000-0000-000000000000
}

func ExampleClient_Modify() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	id := record(c, "The queue drops large messages")
	m, err := c.Modify(ctx, id, client.SetContent("The queue drops messages above 1 MB"), client.SetPinned(true))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Content, m.Pinned, m.Version)
	// Output: The queue drops messages above 1 MB true 2
}

func ExampleClient_Reinforce() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	helped := record(c, "Integration tests need docker")
	wrong := record(c, "The linter forbids naked returns")
	votes, err := c.Reinforce(ctx, []hippo.ID{helped}, []hippo.ID{wrong})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range votes {
		fmt.Println(v.After > v.Before)
	}
	// Output:
	// true
	// false
}

// What is forgotten can be restored; what is purged is gone.
func ExampleClient_Forget() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	id := record(c, "Dark mode uses the system setting")
	count := func(opts ...client.ListOption) int {
		l, err := c.List(ctx, opts...)
		if err != nil {
			log.Fatal(err)
		}
		return l.Total
	}
	if _, err := c.Forget(ctx, id); err != nil {
		log.Fatal(err)
	}
	fmt.Println("forgotten:", count(), count(client.Forgotten()))
	if _, err := c.Restore(ctx, id); err != nil {
		log.Fatal(err)
	}
	fmt.Println("restored: ", count(), count(client.Forgotten()))
	if err := c.Purge(ctx, id); err != nil {
		log.Fatal(err)
	}
	fmt.Println("purged:   ", count(), count(client.Forgotten()))
	// Output:
	// forgotten: 0 1
	// restored:  1 0
	// purged:    0 0
}

// A search that finds one of two related insights finds the other, too.
func ExampleClient_Relations() {
	ctx := context.Background()
	c := open()
	defer c.Close()
	cause := record(c, "Zebra locks the orders table")
	effect := record(c, "Checkout times out at noon")
	_, err := c.Relations().Declare(ctx, hippo.Relation{From: cause, To: effect, Kind: "explains", Weight: 1})
	if err != nil {
		log.Fatal(err)
	}
	rs, err := c.Relations().Of(ctx, effect)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rs[0].Kind, rs[0].From == cause, rs[0].Weight)
	answer, err := c.Search(ctx, "zebra")
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range answer.Hits {
		fmt.Println(h.Memory.Content)
	}
	// Output:
	// explains true 1
	// Zebra locks the orders table
	// Checkout times out at noon
}

// Export and Import move insights from store to store.
func ExampleClient_Export() {
	ctx := context.Background()
	from, to := open(), open(client.Namespace("copy"))
	defer from.Close()
	defer to.Close()
	record(from, "Backups are restored each week")
	record(from, "Metrics are scraped")
	st, err := from.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		r, err := to.Import(ctx, from.Export(ctx), client.ActiveDays(st.Calendar))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Added, "added,", r.Present, "already here")
	}
	// Output:
	// 2 added, 0 already here
	// 0 added, 2 already here
}
