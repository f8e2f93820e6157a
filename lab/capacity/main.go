// Command capacity computes the servers and the monthly cost of a memory for many tenants on Postgres, from constants that were measured.
//
//	go run ./capacity -tenants 1e6 -memories 1000        (in lab/)
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/hippo-memory/hippo/lab/capacity/model"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "capacity:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	f := flag.NewFlagSet("capacity", flag.ContinueOnError)
	in, static, list := &model.Input{}, false, false
	usage(f, in)
	machines(f, in)
	f.BoolVar(&static, "static", false, "instant vectors alone, without the encoders")
	f.BoolVar(&in.Bucket, "bucket", false, "keep index files in a bucket, not in the database")
	f.BoolVar(&list, "constants", false, "print the constants, their fits and the errors of those, as Markdown")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return err
	}
	in.Encoders = !static
	points, err := model.Measured()
	if err != nil {
		return err
	}
	if list {
		constants(w, model.Rows(points))
		return nil
	}
	if err := check(in); err != nil {
		return err
	}
	out := model.Plan(in, model.Fits(points, in.Encoders))
	if *asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"input": in, "output": out})
	}
	table(w, in, &out)
	return nil
}

// usage adds the flags of what is asked of the service.
func usage(f *flag.FlagSet, in *model.Input) {
	f.Float64Var(&in.Tenants, "tenants", 1e6, "tenants")
	f.Float64Var(&in.Memories, "memories", 1000, "memories of a tenant")
	f.Float64Var(&in.Searches, "searches", 2, "searches of a tenant a day, the mean of all tenants")
	f.Float64Var(&in.Records, "records", .5, "records of a tenant a day, the mean of all tenants")
	f.Float64Var(&in.Tidies, "consolidations", 0, "consolidations of a tenant a day, the mean of all tenants")
	f.Float64Var(&in.Opens, "opens", .3, "searches of a tenant a day on a node that has it not open, the mean of all tenants")
	f.Float64Var(&in.Active, "active", .01, "share of the tenants that are used in the peak hour")
	f.Float64Var(&in.Peak, "peak", 4, "calls in the peak hour, relative to the mean hour")
	f.Float64Var(&in.Fetched, "fetched", .5, "share of the openings whose index file is not on the node")
	f.Float64Var(&in.Built, "built", .01, "share of the openings for which there is no index file at all")
}

// machines adds the flags of servers and prices.
func machines(f *flag.FlagSet, in *model.Input) {
	m, p := &in.Machines, &in.Prices
	f.Float64Var(&m.NodeCores, "node-cores", 4, "cores of a node")
	f.Float64Var(&m.NodeMemory, "node-memory", 16, "GiB of memory of a node")
	f.Float64Var(&m.SpareNodes, "spare", 1, "nodes that may fail in the peak hour")
	f.Float64Var(&m.ServerCores, "server-cores", 16, "cores of a database server")
	f.Float64Var(&m.ServerMemory, "server-memory", 64, "GiB of memory of a database server")
	f.Float64Var(&m.ServerDisk, "server-disk", 4096, "GiB of disk of a database server")
	f.Float64Var(&m.ServerLog, "server-log", 50, "MB of WAL a second that a database server writes and its standby follows")
	f.Float64Var(&m.Standbys, "standbys", 1, "standbys of a database server")
	f.Float64Var(&m.Busy, "busy", .6, "share of cores, memory and disks that is used at most")
	f.Float64Var(&m.Checkpoint, "checkpoint", 15, "minutes between two checkpoints of a database server")
	f.Float64Var(&p.Core, "price-core", 20, "price of a core a month")
	f.Float64Var(&p.Memory, "price-memory", 3, "price of a GiB of memory a month")
	f.Float64Var(&p.Disk, "price-disk", .1, "price of a GiB of disk a month")
	f.Float64Var(&p.Bucket, "price-bucket", .02, "price of a GiB in a bucket a month")
}

// check refuses what the model cannot divide by.
func check(in *model.Input) error {
	m := &in.Machines
	for name, v := range map[string]float64{
		"tenants": in.Tenants, "memories": in.Memories, "active": in.Active, "peak": in.Peak, "node-cores": m.NodeCores, "server-cores": m.ServerCores,
		"server-disk": m.ServerDisk, "server-log": m.ServerLog, "busy": m.Busy, "checkpoint": m.Checkpoint,
	} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("-%s must be a number above 0", name)
		}
	}
	for name, v := range map[string]float64{
		"searches": in.Searches, "records": in.Records, "consolidations": in.Tidies, "opens": in.Opens, "fetched": in.Fetched, "built": in.Built, "spare": m.SpareNodes, "standbys": m.Standbys,
	} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("-%s must be a number, and not negative", name)
		}
	}
	switch {
	case in.Active > 1:
		return fmt.Errorf("-active must be a share of the tenants, at most 1")
	case in.Fetched+in.Built > 1:
		return fmt.Errorf("-fetched and -built must be shares of the openings, together at most 1")
	case m.NodeMemory*m.Busy <= 1:
		return fmt.Errorf("-node-memory must leave more than a GiB when -busy of it is used")
	}
	return nil
}
