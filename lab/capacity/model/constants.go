// Package model computes what servers a number of tenants needs from constants that were measured.
package model

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Point is what was measured at one size: the median of some rounds, and the least and most.
type Point struct {
	Constant string  `json:"constant"`
	Encoders bool    `json:"encoders"` // the memories have the vectors of both encoders
	N        float64 `json:"n"`        // memories of the tenant, or what else the constant depends on
	Value    float64 `json:"value"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Rounds   int     `json:"rounds"`
	Load     float64 `json:"load"` // load average of the machine, which makes processor times longer by what caches lose
}

// Constant is a row of the table of constants.
type Constant struct {
	Name, Unit, What string
	// Terms are those of its fit.
	Terms []Term
}

// The names of constants. Each was measured by lab/capacity/measure, in the part that its first word names.
const (
	SearchNode       = "search: node"
	SearchDatabase   = "search: database"
	SearchLog        = "search: log"
	SearchFirstLog   = "search: log after a checkpoint"
	HTTPNode         = "http: node"
	RecordNode       = "record: node"
	RecordDatabase   = "record: database"
	RecordLog        = "record: log"
	RecordFirstLog   = "record: log after a checkpoint"
	BuildNode        = "attach: node, no file"
	BuildDatabase    = "attach: database, no file"
	OpenNode         = "attach: node, file here"
	OpenDatabase     = "attach: database, file here"
	FetchNode        = "attach: node, file fetched"
	FetchDatabase    = "attach: database, file fetched"
	SendNode         = "send: node"
	SendDatabase     = "send: database"
	SendLog          = "send: log"
	EmbedNode        = "embed: node"
	TidyNode         = "tidy: node"
	TidyDatabase     = "tidy: database"
	TidyLog          = "tidy: log"
	RowHeap          = "rows: heap"
	RowIndex         = "rows: indexes"
	RowToast         = "rows: TOAST"
	File             = "file: size"
	HeldOpen         = "held: anonymous, opened"
	HeldSearched     = "held: anonymous, searched"
	HeldPages        = "held: page cache"
	HeldEstimate     = "held: estimate"
	Program          = "held: program"
	TenantsSearch    = "tenants: search, database"
	TenantsRecord    = "tenants: record, database"
	TenantsSearchLog = "tenants: search, log"
	TenantsRecordLog = "tenants: record, log"
)

const (
	ms     = "ms of a core"
	logged = "bytes of WAL"
	stored = "bytes"
)

// Constants returns the table of constants.
func Constants() []Constant {
	mean, line, scan, tidy := []Term{One}, []Term{One, Linear}, []Term{One, Log, Linear}, []Term{One, First, Linear, Pairs}
	kept, tree, pages, mapped := []Term{One, Root, Linear}, []Term{One, Log}, []Term{One, First}, []Term{Few, Linear}
	return []Constant{
		{SearchNode, ms, "a search that counts what it found", scan},
		{SearchDatabase, ms, "the same", tree},
		{SearchLog, logged, "the same", mean},
		{SearchFirstLog, logged, "the same, the first one of a tenant after a checkpoint, which logs whole pages", pages},
		{HTTPNode, ms, "what a request over HTTP adds to a call", mean},
		{RecordNode, ms, "a record, compared with what is there, embedded and scored", scan},
		{RecordDatabase, ms, "the same", tree},
		{RecordLog, logged, "the same", mean},
		{RecordFirstLog, logged, "the same, the first one of a tenant after a checkpoint", mean},
		{BuildNode, ms, "the first search in a tenant whose index has to be built", line},
		{BuildDatabase, ms, "the same", line},
		{OpenNode, ms, "the first search in a tenant whose index file is on the node", line},
		{OpenDatabase, ms, "the same", line},
		{FetchNode, ms, "the first search in a tenant whose index file is in the database", line},
		{FetchDatabase, ms, "the same", line},
		{SendNode, ms, "keeping the index file of a tenant in the database", line},
		{SendDatabase, ms, "the same", line},
		{SendLog, logged, "the same", line},
		{EmbedNode, ms, "a memory that is imported, by both encoders", mean},
		{TidyNode, ms, "the first consolidation of a tenant", tidy},
		{TidyDatabase, ms, "the same", tidy},
		{TidyLog, logged, "the same", tidy},
		{RowHeap, stored, "tables of a tenant", line},
		{RowIndex, stored, "indexes of the tables of a tenant", line},
		{RowToast, stored, "what the tables keep elsewhere: vectors and long texts", line},
		{File, stored, "index file of a tenant", line},
		{HeldOpen, stored, "memory that the system cannot take back, of a tenant before its first search", kept},
		{HeldSearched, stored, "the same, after a search", kept},
		{HeldPages, stored, "pages of the index file in memory after a search", mapped},
		{HeldEstimate, stored, "what the program believes that a tenant holds, to keep within --index-memory", kept},
		{Program, stored, "resident memory of a process without tenants", mean},
		{TenantsSearch, ms, "a search in a tenant of ten memories, by the number of tenants", mean},
		{TenantsRecord, ms, "a record there", mean},
		{TenantsSearchLog, logged, "the search", mean},
		{TenantsRecordLog, logged, "the record", mean},
	}
}

//go:embed points.json
var measured []byte

// Measured returns the points that lab/capacity/measure has written.
func Measured() ([]Point, error) {
	var points []Point
	if err := json.Unmarshal(measured, &points); err != nil {
		return nil, fmt.Errorf("points.json: %w", err)
	}
	return points, nil
}

// Row is a constant as it was measured, and its fit.
type Row struct {
	Constant
	Encoders bool
	Points   []Point
	Fit      Fit
}

// Rows returns the table of constants with what was measured of each, first without encoders.
func Rows(points []Point) []Row {
	var rows []Row
	for _, c := range Constants() {
		for _, encoders := range []bool{false, true} {
			var own []Point
			for _, p := range points {
				if p.Constant == c.Name && p.Encoders == encoders {
					own = append(own, p)
				}
			}
			if len(own) > 0 {
				rows = append(rows, Row{c, encoders, own, fitOf(own, c.Terms)})
			}
		}
	}
	return rows
}

// Fits returns the fits of constants by name, with or without encoders.
func Fits(points []Point, encoders bool) map[string]Fit {
	out := make(map[string]Fit)
	for _, r := range Rows(points) {
		if r.Encoders == encoders {
			out[r.Name] = r.Fit
		}
	}
	return out
}
