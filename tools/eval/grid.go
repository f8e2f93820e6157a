package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/tools/eval/grid"
)

// overGrid are the flags for the grid.
type overGrid struct {
	grid    bool
	cells   string
	largest int
}

// usualSample is the number of questions of a cell without --sample.
const usualSample = 100

// writeGrid measures the cells of the grid.
func (m *measurement) writeGrid(ctx context.Context, stdout, stderr io.Writer, o *options) error {
	cells, err := regexp.Compile(o.cells)
	if err != nil {
		return hippo.Fieldf("cells", "must be a regular expression: %v", err)
	}
	library, err := grid.Read(o.data)
	if err != nil {
		return err
	}
	engine := m.Engine
	if len(m.Models) > 0 {
		engine.Models = m.Models[0].Used
	}
	results, err := grid.Run(ctx, &grid.Options{
		Library: library, Engine: engine, Cells: cells, Largest: o.largest, Sample: cmp.Or(o.sample, usualSample), Workers: o.jobs,
		Progress: func(done, all int) { _, _ = fmt.Fprintf(stderr, "\r%d of %d stores ", done, all) },
	})
	if err != nil {
		return err
	}
	if o.json {
		return grid.NewReport(results).WriteJSON(stdout)
	}
	return grid.NewReport(results).Write(stdout)
}
