package model

import (
	"fmt"
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// flat are constants that do not depend on the size but for those that are given.
func flat(of map[string]Fit) map[string]Fit {
	out := make(map[string]Fit)
	for _, c := range Constants() {
		out[c.Name] = of[c.Name]
	}
	return out
}

// worked is a service whose figures can be computed by hand: 86,400 tenants that search once a day are one search a second.
func worked() *Input {
	return &Input{
		Tenants: 86400, Memories: 1000, Searches: 20, Records: 5, Opens: 2, Active: .1, Peak: 4, Fetched: .5, Built: .1,
		Machines: Machines{
			NodeCores: 4, NodeMemory: 16, SpareNodes: 1, ServerCores: 8, ServerMemory: 32, ServerDisk: 100, ServerLog: 50, Standbys: 1, Busy: .5, Checkpoint: 15,
		},
		Prices: Prices{Core: 10, Memory: 1, Disk: .5, Bucket: .25},
	}
}

func TestPlan_nodes(t *testing.T) {
	in := worked()
	o := Plan(in, flat(map[string]Fit{
		HTTPNode: {One: 1}, SearchNode: {One: 1, Linear: .001}, RecordNode: {One: 9}, OpenNode: {One: 10}, FetchNode: {One: 20}, BuildNode: {One: 100}, SendNode: {One: 50},
		HeldSearched: {One: 1 << 20}, HeldPages: {Linear: 2 << 10}, Program: {One: 1 << 27},
	}))
	near(t, "searches", o.Rates.Searches, 80) // 20 a second, four times
	near(t, "records", o.Rates.Records, 20)
	near(t, "openings", o.Rates.Opens, 8)
	near(t, "files kept", o.Rates.Sends, 4*(2+5./200)) // after each opening, and for each 200 records
	// 100 requests of 1 ms, 72 searches of 2 that do not open their tenant, 20 records of 9, 8 openings of .4 x 10 + .5 x 20 + .1 x 100 = 24, 8.1 files
	// of 50.
	near(t, "busy cores", o.Nodes.Cores, .1+.144+.18+.192+.405)
	near(t, "open tenants", o.Nodes.Warm, 8640)
	// 2 x 8,640 MiB held and 8,640 x 2,000 KiB = 16.5 GiB of pages; a node has 8 GiB less .125 for the program: 4.2 nodes.
	near(t, "pages", o.Nodes.PageCache, 8640*2000./(1<<20))
	near(t, "nodes", o.Nodes.Count, 6)
	near(t, "held", o.Nodes.Anonymous, 2*8640./1024+5*.125)
	near(t, "--index-memory", o.Nodes.IndexMemory, 8640./5)
	if o.Nodes.BoundBy != "memory" {
		t.Errorf("nodes are bound by %s", o.Nodes.BoundBy)
	}
}

func TestPlan_servers(t *testing.T) {
	in := worked()
	fits := flat(map[string]Fit{
		SearchDatabase: {One: 1}, RecordDatabase: {One: 2}, OpenDatabase: {One: 1}, FetchDatabase: {One: 5}, BuildDatabase: {One: 21}, SendDatabase: {One: 10},
		SearchLog: {One: 1000}, SearchFirstLog: {One: 21000}, RecordLog: {One: 2000}, RecordFirstLog: {One: 2000}, SendLog: {One: 1e6},
		RowHeap: {Linear: 2 << 10}, RowIndex: {One: 48 << 10}, RowToast: {Linear: 1 << 10}, File: {Linear: 4 << 10},
	})
	o := Plan(in, fits)
	// 72 searches of 1 ms that do not open their tenant, 20 records of 2, 8 openings of .4 + 2.5 + 2.1 = 5, 8.1 files of 10.
	near(t, "busy cores", o.Servers.Cores, .072+.04+.04+.081)
	rows, files := 86400*(2000.+48+1000)/(1<<20), 86400*2*4000./(1<<20)
	near(t, "disk", o.Servers.Disk, rows+files) // 251 + 659 GiB, on disks of 100 of which half is used
	near(t, "servers", o.Servers.Count, 19)
	near(t, "with standbys", o.Servers.Machines, 38)
	// A tenant that is used in the peak hour makes 25 x 4 / 24 / .1 calls in it, a quarter of that between two checkpoints.
	x := 25. * 4 / 24 / .1 / 4
	log := 86400 * (20*(1000+20000*(1-math.Exp(-x))/x) + 5*2000 + 2.025*1e6)
	near(t, "log", o.Servers.Log, log/(1<<30))
	near(t, "log in the peak hour", o.Servers.PeakLog, log*4/86400/1e6)
	near(t, "cost of servers", o.Cost.Servers, 38*(8*10+32))
	near(t, "cost of disks", o.Cost.Disks, (rows+files)/.5*2*.5)
	near(t, "cost of nodes", o.Cost.Nodes, 2*(4*10+16)) // one, and a spare one
	near(t, "sum", o.Cost.Sum, o.Cost.Nodes+o.Cost.Servers+o.Cost.Disks)
	near(t, "connections", o.Servers.Connections, 32)
	in.Bucket = true
	b := Plan(in, fits)
	near(t, "busy cores with a bucket", b.Servers.Cores, .072+.04+8*.001*(.4+.5+2.1))
	near(t, "disk with a bucket", b.Servers.Disk, rows)
	near(t, "log with a bucket", b.Servers.Log, (log-86400*2.025*1e6)/(1<<30))
	near(t, "cost of the bucket", b.Cost.Bucket, files*.25)
	if o.Servers.BoundBy != "disk" || o.Nodes.BoundBy != "one is enough" {
		t.Errorf("servers are bound by %s, nodes by %s", o.Servers.BoundBy, o.Nodes.BoundBy)
	}
}

func TestFirstShare(t *testing.T) {
	near(t, "of next to no calls", firstShare(1e-12), 1)
	near(t, "of one call", firstShare(1), 1-math.Exp(-1))
	near(t, "of many calls", firstShare(1000), .001)
}

func TestFit(t *testing.T) {
	line := []Term{One, Linear}
	for _, c := range []struct {
		name   string
		points []Point
		terms  []Term
		want   Fit
	}{
		{"a line through all points", []Point{{N: 100, Value: 3}, {N: 1000, Value: 12}, {N: 100000, Value: 1002}}, line, Fit{One: 2, Linear: .01}},
		{"a mean, by relative errors", []Point{{N: 1, Value: 1}, {N: 2, Value: 2}}, []Term{One}, Fit{One: 1.2}}, // (1 + 1/2) / (1 + 1/4)
		{"no line that falls", []Point{{N: 1, Value: 2}, {N: 2, Value: 1}}, line, Fit{One: 1.2}},
		{"no line from below zero", []Point{{N: 1, Value: 1}, {N: 2, Value: 4}}, line, Fit{Linear: 1.2}}, // (1 + 2/4) / (1 + 4/16)
		{"one point", []Point{{N: 7, Value: 5}}, line, Fit{One: 5}},
		{"no point", nil, line, Fit{}},
		{"a scan", []Point{{N: 10, Value: 4}, {N: 100, Value: 7}, {N: 1000, Value: 10}, {N: 10000, Value: 13}}, []Term{One, Log, Linear}, Fit{One: 1, Log: 3}},
		{"pairs", []Point{{N: 100, Value: 110}, {N: 1000, Value: 2000}, {N: 10000, Value: 101000}}, []Term{First, Linear, Pairs}, Fit{First: 1, Pairs: .001}},
	} {
		got := fitOf(c.points, c.terms)
		for term, want := range c.want {
			near(t, fmt.Sprint(c.name, ", ", Term(term)), got[term], want)
		}
	}
	near(t, "error", Fit{One: 2, Linear: .01}.Error(Point{N: 100, Value: 4}), -.25)
	if got := (Fit{One: 2, Root: .5, Linear: .0125}).String(); got != "2 + 0.5 √n + 0.0125 n" {
		t.Errorf("printed as %s", got)
	}
}

// Every constant that the model has was measured at three sizes or more that are a hundred times apart, but for those that depend on none.
func TestMeasured(t *testing.T) {
	points, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]Constant)
	for _, c := range Constants() {
		known[c.Name] = c
	}
	seen := make(map[string]bool)
	for _, r := range Rows(points) {
		least, most := math.Inf(1), 0.
		for _, p := range r.Points {
			least, most = min(least, p.N), max(most, p.N)
			if p.Low > p.Value || p.Value > p.High || p.Rounds < 1 {
				t.Errorf("%s at %v: %v is not between %v and %v", p.Constant, p.N, p.Value, p.Low, p.High)
			}
		}
		if len(r.Points) < 3 || most < 100*least {
			t.Errorf("%s was measured at %d sizes, from %v to %v", r.Name, len(r.Points), least, most)
		}
		seen[r.Name] = true
	}
	for name := range known {
		if !seen[name] {
			t.Errorf("%s was not measured", name)
		}
	}
	for _, p := range points {
		if _, ok := known[p.Constant]; !ok {
			t.Errorf("%s is no constant", p.Constant)
		}
	}
}
