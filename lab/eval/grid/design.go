// Package grid measures the default ranker where it was not fitted: the same questions in stores of other sizes, among other
// memories, in other forms, and before the models have embedded. In each cell it stands beside the better of its own parts.
//
// Stores and questions are composed from sets by a fixed seed: equal data and code give equal figures.
package grid

import (
	"fmt"
	"slices"
	"strings"
)

// Cell is one place of the grid: which set, in a store of which size, filled up with what, asked in which form, in which state.
type Cell struct {
	Set    string `json:"set"`
	Size   int    `json:"size"`
	Filler string `json:"filler"`
	Form   string `json:"form"`
	State  string `json:"state"`
}

// String is the name of the cell, which --cells is matched with.
func (c Cell) String() string {
	return fmt.Sprintf("%s %d %s %s %s", c.Set, c.Size, c.Filler, c.Form, c.State)
}

// Embedded reports whether all models serve in the cell.
func (c Cell) Embedded() bool { return c.State == stateAll }

// store is the cell without the form: cells with one store share it.
func (c Cell) store() Cell {
	c.Form = ""
	return c
}

// The base cell of each set, from which one factor at a time is changed.
const (
	baseSize   = 300
	baseFiller = "notes"
	baseForm   = "plain"
	stateAll   = "all"     // all models have embedded all memories
	stateHalf  = "half"    // half of the memories have the vectors of the instant model alone
	stateFirst = "instant" // only the instant model is in use
)

// sizes are the numbers of memories in a store.
func sizes() []int { return []int{12, 66, 300, 3000, 30000} }

// sets are the folders of the sets that are asked, below that of the data.
func sets() []string {
	return []string{
		"agents/team", "agents/life", "agents/lessons", "agents/exact", "agents/world", "agents/facts", "prefeval", "precisionmembench",
		"locomo", "realtalk", "beam/100K", "qmsum",
	}
}

// pairs are the cells in which two factors or more differ from the base.
func pairs(set string) []Cell {
	return []Cell{
		{set, 3000, "chat", baseForm, stateAll},
		{set, 3000, "logs", baseForm, stateAll},
		{set, 3000, "foreign3", baseForm, stateAll},
		{set, 3000, "decisions", baseForm, stateAll},
		{set, 3000, baseFiller, "prompt", stateAll},
		{set, 3000, baseFiller, "trace", stateAll},
		{set, 3000, baseFiller, "typos", stateAll},
		{set, 3000, baseFiller, baseForm, stateFirst},
		{set, 3000, baseFiller, baseForm, stateHalf},
		{set, 300, "chat", "prompt", stateAll},
		{set, 300, "foreign3", "prompt", stateAll},
	}
}

// Design returns the cells of a set up to a size: the base, each level of each factor beside it, and the pairs.
func Design(set string, largest int) []Cell {
	base := Cell{set, baseSize, baseFiller, baseForm, stateAll}
	cells := []Cell{base}
	vary := func(change func(c *Cell)) {
		c := base
		change(&c)
		cells = append(cells, c)
	}
	for _, n := range sizes() {
		vary(func(c *Cell) { c.Size = n })
	}
	for _, f := range fillers() {
		vary(func(c *Cell) { c.Filler = f.name })
	}
	for _, f := range forms() {
		vary(func(c *Cell) { c.Form = f.name })
	}
	for _, s := range []string{stateHalf, stateFirst} {
		vary(func(c *Cell) { c.State = s })
	}
	cells = append(cells, pairs(set)...)
	seen := make(map[Cell]bool)
	return slices.DeleteFunc(cells, func(c Cell) bool {
		again := seen[c]
		seen[c] = true
		return again || c.Size > largest
	})
}

// short is the name of a set in a cell: the last part of its folder.
func short(folder string) string { return folder[strings.LastIndexByte(folder, '/')+1:] }
