package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/hippo-memory/hippo/lab/capacity/model"
)

// table prints a plan for people.
func table(w io.Writer, in *model.Input, o *model.Output) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer t.Flush() //nolint:errcheck // as of all that is printed
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	vectors := "both encoders"
	if !in.Encoders {
		vectors = "instant vectors alone"
	}
	line("tenants", "%s of %s memories, %s", number(in.Tenants), number(in.Memories), vectors)
	line("in the peak hour", "%s tenants are open; a second %s searches, %s records, %s openings, %s index files kept, %s consolidations",
		number(o.Nodes.Warm), number(o.Rates.Searches), number(o.Rates.Records), number(o.Rates.Opens), number(o.Rates.Sends), number(o.Rates.Tidies))
	fmt.Fprintln(t)
	m := &in.Machines
	line("nodes", "%s of %s cores and %s GiB, %s of which may fail; decided by %s", number(o.Nodes.Count), number(m.NodeCores), number(m.NodeMemory), number(m.SpareNodes), o.Nodes.BoundBy)
	line("  busy cores", "%s", number(o.Nodes.Cores))
	line("  memory", "%s held, and %s of index files that the system can take back", size(o.Nodes.Anonymous), size(o.Nodes.PageCache))
	line("  --index-memory", "%s on each", size(o.Nodes.IndexMemory/1024))
	line("database servers", "%s of %s cores, %s GiB and %s of disk, standbys of each: %s; decided by %s",
		number(o.Servers.Count), number(m.ServerCores), number(m.ServerMemory), size(m.ServerDisk), number(m.Standbys), o.Servers.BoundBy)
	line("  busy cores", "%s", number(o.Servers.Cores))
	line("  disk", "%s on the primary servers", size(o.Servers.Disk))
	line("  WAL", "%s a day, %s MB a second in the peak hour", size(o.Servers.Log), number(o.Servers.PeakLog))
	line("  connections", "%s of all nodes", number(o.Servers.Connections))
	line("index files", "%s, in the %s", size(o.Files.Size), o.Files.Where)
	fmt.Fprintln(t)
	c := &o.Cost
	line("a month", "%s: nodes %s, database servers %s, disks %s, bucket %s", number(c.Sum), number(c.Nodes), number(c.Servers), number(c.Disks), number(c.Bucket))
	line("  of 1,000 tenants", "%s", number(c.Tenant))
}

// number prints three digits, and whole numbers of up to five digits as they are.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 || v >= 999.5 {
		return thousands(fmt.Sprintf("%.0f", v))
	}
	return fmt.Sprintf("%.3g", v)
}

// thousands puts commas into a number.
func thousands(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// size prints a number of GiB.
func size(gib float64) string {
	switch {
	case gib >= 10240:
		return fmt.Sprintf("%.3g TiB", gib/1024)
	case gib >= 1:
		return number(math.Round(gib*10)/10) + " GiB"
	default:
		return fmt.Sprintf("%.3g MiB", gib*1024)
	}
}

// constants prints the table of constants: each as it was measured, its spread, its fit, and the error of that.
func constants(w io.Writer, rows []model.Row) {
	fmt.Fprintln(w, "| constant | unit | vectors | fit | measured (least to most), error of the fit, load average |\n|---|---|---|---|---|")
	for i := range rows {
		r := &rows[i]
		vectors := "instant"
		if r.Encoders {
			vectors = "encoders"
		}
		var points []string
		for _, p := range r.Points {
			points = append(points, fmt.Sprintf("%s: %s (%s to %s), %+.0f %%, %.0f", number(p.N), figure(p.Value), figure(p.Low), figure(p.High), 100*r.Fit.Error(p), p.Load))
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", r.Name, r.Unit, vectors, r.Fit, strings.Join(points, "; "))
	}
}

// figure prints three digits.
func figure(v float64) string {
	if math.Abs(v) >= 1000 {
		return number(v)
	}
	return fmt.Sprintf("%.3g", v)
}
