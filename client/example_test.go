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
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
)

// open opens a memory that is gone when the example ends, on 2 March 2026.
func open(o client.Options) *client.Client {
	o.Now, o.Zone = func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }, time.UTC
	c, err := client.Open(context.Background(), "memory:", &o)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// record records an insight and returns its ID.
func record(c *client.Client, r api.Record) hippo.ID {
	m, err := c.Record(context.Background(), r)
	if err != nil {
		log.Fatal(err)
	}
	return m.ID
}

func Example() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	record(c, api.Record{
		Content: "Retries need jitter, or all clients come back at the same time", Situation: []string{"debugging outages"},
	})
	record(c, api.Record{Content: "The nightly export runs out of memory above 2 GB", Tags: []string{"export"}})

	answer, err := c.Search(ctx, api.Search{Query: hippo.Query{Text: "why do retries fail at the same time?"}})
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
		c, err := client.Open(ctx, url, &client.Options{Project: "billing"})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := c.Record(ctx, api.Record{Content: "Invoices are rounded half to even"}); err != nil {
			log.Fatal(err)
		}
		projects, err := c.Projects(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(projects[0].Memories, projects[0].Name)
		if err := c.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 billing
	// 2 billing
}

// A record can replace an earlier one, and say what it seems to replace.
func ExampleClient_Record() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	record(c, api.Record{Content: "The gateway timeout is 30 seconds"})
	m, err := c.Record(ctx, api.Record{Content: "The gateway timeout is 60 seconds", Importance: new(.8), Compare: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, old := range m.Replaces {
		fmt.Println("replaces:", old.Memory.Content)
		if _, err := c.Modify(ctx, api.Modify{ID: m.ID, Change: api.Change{Supersedes: &[]hippo.ID{old.Memory.ID}}}); err != nil {
			log.Fatal(err)
		}
	}
	_, err = c.Record(ctx, api.Record{Content: "too important", Importance: new(7.)})
	fmt.Println(err)
	fmt.Println(errors.Is(err, hippo.ErrInvalid))
	// Output:
	// replaces: The gateway timeout is 30 seconds
	// importance: must be between 0 and 1, got 7
	// true
}

func ExampleClient_Search() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	record(c, api.Record{Content: "The deploy key for staging lies in the vault", Tags: []string{"deploy"}})
	record(c, api.Record{Content: "Never deploy on a Friday", Tags: []string{"deploy", "rule"}})
	record(c, api.Record{Content: "Logs are kept for thirty days"})

	answer, err := c.Search(ctx, api.Search{Query: hippo.Query{
		Text: "when may I deploy?", Filter: hippo.Filter{Tags: []string{"rule"}}, Count: 5, NoTouch: true,
	}})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range answer.Hits {
		fmt.Println(h.Memory.Content, h.Memory.Tags)
	}
	// Output: Never deploy on a Friday [deploy rule]
}

// What a prompt reminds of, for an agent that begins to work on it.
func ExampleClient_Context() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	record(c, api.Record{Content: "Never deploy on a Friday", Type: "rule", Importance: new(.9)})
	record(c, api.Record{Content: "The cart lives in Redis", Type: "decision"})

	text, err := c.Context(ctx, api.Context{Prompt: "where does the cart live?"})
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
	c := open(client.Options{Project: "shop"})
	defer c.Close()
	record(c, api.Record{Content: "The cart lives in Redis", Type: "decision"})
	record(c, api.Record{Content: "Prices are in cents", Type: "decision"})
	record(c, api.Record{Content: "Written in another project", Type: "decision", Project: new("blog")})

	for _, q := range []api.List{{Filter: hippo.Filter{Types: []string{"decision"}}}, {Projects: []string{hippo.AllProjects}}} {
		l, err := c.List(ctx, q)
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
	c := open(client.Options{})
	defer c.Close()
	short := record(c, api.Record{Content: "Secrets rotate each month"}).String()[:30]
	id, err := c.Resolve(ctx, api.Resolve{Ref: short})
	if err != nil {
		log.Fatal(err)
	}
	got, err := c.Get(ctx, api.Get{IDs: []hippo.ID{id}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Memories[0].Content, got.Memories[0].CreatedAt.Format(time.DateOnly))
	_, err = c.Get(ctx, api.Get{IDs: []hippo.ID{{1}}})
	fmt.Println(errors.Is(err, hippo.ErrNotFound), err)
	// Output:
	// Secrets rotate each month 2026-03-02
	// true no memory with id 01000000-0000-0000-0000-000000000000
}

func ExampleClient_Modify() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	id := record(c, api.Record{Content: "The queue drops large messages"})
	m, err := c.Modify(ctx, api.Modify{ID: id, Change: api.Change{Content: new("The queue drops messages above 1 MB"), Pinned: new(true)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Content, m.Pinned, m.Version)
	// Output: The queue drops messages above 1 MB true 2
}

func ExampleClient_Reinforce() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	helped := record(c, api.Record{Content: "Integration tests need docker"})
	wrong := record(c, api.Record{Content: "The linter forbids naked returns"})
	votes, err := c.Reinforce(ctx, api.Reinforce{Up: []hippo.ID{helped}, Down: []hippo.ID{wrong}})
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

// A forgotten memory can be restored; a purged one cannot.
func ExampleClient_Forget() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	id := record(c, api.Record{Content: "Dark mode uses the system setting"})
	count := func(forgotten bool) int {
		l, err := c.List(ctx, api.List{Forgotten: forgotten})
		if err != nil {
			log.Fatal(err)
		}
		return l.Total
	}
	if _, err := c.Forget(ctx, id); err != nil {
		log.Fatal(err)
	}
	fmt.Println("forgotten:", count(false), count(true))
	if _, err := c.Restore(ctx, id); err != nil {
		log.Fatal(err)
	}
	fmt.Println("restored: ", count(false), count(true))
	if err := c.Purge(ctx, id); err != nil {
		log.Fatal(err)
	}
	fmt.Println("purged:   ", count(false), count(true))
	// Output:
	// forgotten: 0 1
	// restored:  1 0
	// purged:    0 0
}

// A search that finds one of two related insights also finds the other.
func ExampleClient_Relate() {
	ctx := context.Background()
	c := open(client.Options{})
	defer c.Close()
	cause := record(c, api.Record{Content: "Zebra locks the orders table"})
	effect := record(c, api.Record{Content: "Checkout times out at noon"})
	_, err := c.Relate(ctx, hippo.Relation{From: cause, To: effect, Kind: "explains", Weight: 1})
	if err != nil {
		log.Fatal(err)
	}
	rs, err := c.Relations(ctx, api.Relations{IDs: []hippo.ID{effect}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rs[0].Kind, rs[0].From == cause, rs[0].Weight)
	answer, err := c.Search(ctx, api.Search{Query: hippo.Query{Text: "zebra"}})
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
	from, to := open(client.Options{}), open(client.Options{Namespace: "copy"})
	defer from.Close()
	defer to.Close()
	record(from, api.Record{Content: "Backups are restored each week"})
	record(from, api.Record{Content: "Metrics are scraped"})
	st, err := from.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		r, err := to.Import(ctx, api.Import{Entries: from.Export(ctx), Calendar: st.Calendar})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Added, "added,", r.Present, "already here")
	}
	// Output:
	// 2 added, 0 already here
	// 0 added, 2 already here
}
