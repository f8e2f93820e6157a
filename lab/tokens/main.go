// Command tokens counts the tokens that a model pays for the memory: the list of tools, calls, and
// results, by the vocabulary o200k, for notes of 40 words in a temporary store. Below them are the
// same notes in the formats of other systems. It fails if a row exceeds its bound.
//
//	go -C lab run ./tokens
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/lab/o200k"
)

func main() {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran { // the process of a program, which hippo_run starts
		os.Exit(code)
	}
	rows, err := measureProduct(context.Background())
	if err == nil {
		err = errors.Join(write(os.Stdout, rows), exceeded(rows))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

// measureProduct measures the product's MCP server over a store in memory.
func measureProduct(ctx context.Context) (rows []Row, err error) {
	count := func(text string) int {
		n, countErr := o200k.Count(text)
		err = errors.Join(err, countErr)
		return n
	}
	now := func() time.Time { return time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC) }
	opener := app.NewOpener(
		config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.Static}, Ranker: hippo.RankerHippo},
		&app.Options{Now: now, Zone: time.UTC},
	)
	server := mcpserver.New(opener.Engine, &mcpserver.Options{Store: "sqlite:/home/me/.local/share/hippo/memory.db", Now: now})
	rows, measureErr := Measure(ctx, server.Serve, count)
	return rows, errors.Join(err, measureErr, opener.Close(ctx))
}

// write writes the rows as a table.
func write(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TOKENS (o200k)\tCALL\tRESULT\tTOTAL\tAT MOST")
	for i := range rows {
		r := &rows[i]
		most := ""
		if r.Most > 0 {
			most = fmt.Sprint(r.Most)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", r.What, r.Call, r.Result, r.Total(), most)
	}
	return table.Flush()
}

// exceeded returns an error that names each row above its bound.
func exceeded(rows []Row) (err error) {
	for i := range rows {
		if r := &rows[i]; r.Most > 0 && r.Total() > r.Most {
			err = errors.Join(err, fmt.Errorf("%s: %d tokens, at most %d are allowed", r.What, r.Total(), r.Most))
		}
	}
	return err
}
