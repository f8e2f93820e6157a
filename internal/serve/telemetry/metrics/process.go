package metrics

import (
	"runtime"
	rt "runtime/metrics"
	"time"
)

// Process returns the figures of this process and of the Go runtime, by the names that they have in other Go
// programs. Those that a system does not offer are missing. Began is when the process started.
func Process(began time.Time) func() []Figure {
	return func() []Figure {
		samples := []rt.Sample{
			{Name: "/sched/goroutines:goroutines"},
			{Name: "/memory/classes/heap/objects:bytes"},
			{Name: "/memory/classes/total:bytes"},
			{Name: "/gc/cycles/total:gc-cycles"},
			{Name: "/gc/heap/allocs:bytes"},
			{Name: "/gc/heap/goal:bytes"},
		}
		rt.Read(samples)
		value := func(i int) float64 { return float64(samples[i].Value.Uint64()) }
		out := []Figure{
			{Name: "go_info", Help: "The version of Go.", Kind: Gauge, Label: "version", Points: []Point{{runtime.Version(), 1}}},
			One("go_goroutines", "Goroutines that exist.", Gauge, value(0)),
			One("go_memstats_heap_alloc_bytes", "Bytes of objects on the heap.", Gauge, value(1)),
			One("go_memstats_sys_bytes", "Bytes of memory from the system.", Gauge, value(2)),
			One("go_gc_cycles_total", "Completed cycles of the garbage collector.", Counter, value(3)),
			One("go_memstats_alloc_bytes_total", "Bytes that were allocated on the heap.", Counter, value(4)),
			One("go_memstats_next_gc_bytes", "Size of the heap at which the next cycle ends.", Gauge, value(5)),
			One("process_start_time_seconds", "When the process started, in seconds since 1970.", Gauge, float64(began.UnixMilli())/1000),
		}
		return append(out, system()...)
	}
}
