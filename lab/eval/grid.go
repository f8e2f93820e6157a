package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/lab/eval/grid"
)

// overGrid are the flags for the grid.
type overGrid struct {
	grid    bool
	goals   bool
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
	options := &grid.Options{
		Library: library, Engine: engine, Cells: cells, Largest: o.largest, Sample: cmp.Or(o.sample, usualSample), Workers: o.jobs,
		Progress: func(done, all int) { _, _ = fmt.Fprintf(stderr, "\r%d of %d ", done, all) },
	}
	if o.features {
		return m.gridFeatures(ctx, stdout, options)
	}
	if o.goals {
		goals, err := grid.Goals(ctx, options)
		switch {
		case err != nil:
			return err
		case o.json:
			return writeJSON(stdout, goals)
		default:
			return grid.WriteGoals(stdout, goals)
		}
	}
	results, err := grid.Run(ctx, options)
	if err != nil {
		return err
	}
	if o.json {
		return grid.NewReport(results).WriteJSON(stdout)
	}
	return grid.NewReport(results).Write(stdout)
}

// gridFeatures writes the features of the cells in which all models serve: what the weights are fitted on, and judged by leaving out whole
// kinds of cells.
func (m *measurement) gridFeatures(ctx context.Context, w io.Writer, o *grid.Options) error {
	out := json.NewEncoder(w)
	for c, s := range o.Asked() {
		if !c.Embedded() {
			continue
		}
		for i := range s.Groups {
			if err := m.groupFeatures(ctx, out, s, &s.Groups[i]); err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
		}
	}
	return nil
}
