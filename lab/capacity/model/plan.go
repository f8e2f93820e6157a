package model

import "math"

// Input is what is asked of a service, and what servers are like. The mean is over all tenants, those that do nothing as well.
type Input struct {
	Tenants  float64  `json:"tenants"`
	Memories float64  `json:"memories"` // of a tenant
	Searches float64  `json:"searches"` // of a tenant a day
	Records  float64  `json:"records"`  // of a tenant a day
	Tidies   float64  `json:"tidies"`   // consolidations of a tenant a day
	Opens    float64  `json:"opens"`    // searches of a tenant a day on a node that has it not open
	Active   float64  `json:"active"`   // share of the tenants that are used in the peak hour
	Peak     float64  `json:"peak"`     // calls in the peak hour, relative to the mean hour
	Encoders bool     `json:"encoders"` // both encoders embed all memories
	Fetched  float64  `json:"fetched"`  // share of the openings whose index file is not on the node
	Built    float64  `json:"built"`    // share of the openings for which there is no index file at all
	Bucket   bool     `json:"bucket"`   // index files are kept in a bucket, not in the database
	Machines Machines `json:"machines"`
	Prices   Prices   `json:"prices"`
}

// Machines are what nodes and database servers are like.
type Machines struct {
	NodeCores    float64 `json:"node_cores"`
	NodeMemory   float64 `json:"node_memory"` // GiB
	SpareNodes   float64 `json:"spare_nodes"` // that may fail in the peak hour
	ServerCores  float64 `json:"server_cores"`
	ServerMemory float64 `json:"server_memory"` // GiB
	ServerDisk   float64 `json:"server_disk"`   // GiB
	ServerLog    float64 `json:"server_log"`    // MB of WAL a second that a server writes and a standby follows
	Standbys     float64 `json:"standbys"`      // of each server
	Busy         float64 `json:"busy"`          // share of cores, memory and disks that is used at most
	Checkpoint   float64 `json:"checkpoint"`    // minutes between two checkpoints
}

// Prices are those of a month.
type Prices struct {
	Core   float64 `json:"core"`
	Memory float64 `json:"memory"` // of a GiB
	Disk   float64 `json:"disk"`   // of a GiB
	Bucket float64 `json:"bucket"` // of a GiB
}

// Output is what a service needs.
type Output struct {
	Rates   Rates   `json:"rates"`
	Nodes   Nodes   `json:"nodes"`
	Servers Servers `json:"servers"`
	Files   Files   `json:"files"`
	Cost    Cost    `json:"cost"`
}

// Rates are calls a second in the peak hour.
type Rates struct {
	Searches float64 `json:"searches"`
	Records  float64 `json:"records"`
	Opens    float64 `json:"opens"`
	Sends    float64 `json:"sends"` // index files that are kept for other nodes
	Tidies   float64 `json:"tidies"`
}

// Nodes are processes of hippo serve, each on a machine.
type Nodes struct {
	Count       float64 `json:"count"`         // with the spare ones
	Cores       float64 `json:"cores"`         // busy in the peak hour, of all
	Warm        float64 `json:"warm"`          // tenants that are open in the peak hour
	Anonymous   float64 `json:"anonymous_gib"` // memory that the system cannot take back, of all but the spare ones
	PageCache   float64 `json:"page_cache_gib"`
	IndexMemory float64 `json:"index_memory_mib"` // the setting of a node
	BoundBy     string  `json:"bound_by"`
}

// Servers are those of the database.
type Servers struct {
	Count       float64 `json:"count"`    // without standbys
	Machines    float64 `json:"machines"` // with them
	Cores       float64 `json:"cores"`    // busy in the peak hour, of all
	Disk        float64 `json:"disk_gib"` // of tables and indexes, once
	Log         float64 `json:"log_gib_a_day"`
	PeakLog     float64 `json:"log_mb_a_second"` // in the peak hour
	Connections float64 `json:"connections"`     // of all nodes
	BoundBy     string  `json:"bound_by"`
}

// Files are the index files that are kept for nodes.
type Files struct {
	Size  float64 `json:"size_gib"` // of all
	Where string  `json:"where"`
}

// Cost is that of a month.
type Cost struct {
	Nodes   float64 `json:"nodes"`
	Servers float64 `json:"servers"`
	Disks   float64 `json:"disks"`
	Bucket  float64 `json:"bucket"`
	Sum     float64 `json:"sum"`
	Tenant  float64 `json:"a_thousand_tenants"`
}

// What the program has as constants.
const (
	connectionsOfNode = 16  // internal/store/pgstore: defaultConns
	filesKept         = 2   // the newest file of a tenant and the one before it: internal/store/pgstore/snapshots.go
	leastGrown        = 200 // revisions after which a file is kept again, or a fifth of all: internal/retrieval/index/sender.go
	grownShare        = 5
	garbage           = 2 // the heap grows to twice what lives before it is collected: GOGC is 100
)

const (
	day       = 86400. // seconds
	gib       = 1 << 30
	milli     = 1e-3
	megabyte  = 1e6
	hourOfDay = 1. / 24
)

// Plan computes what a service needs from the fits of the constants, by name.
func Plan(in *Input, fits map[string]Fit) Output {
	at := func(name string) float64 { return fits[name].At(in.Memories) }
	var out Output
	out.Rates = ratesOf(in)
	out.Files = Files{Size: in.Tenants * filesKept * at(File) / gib, Where: "database"}
	if in.Bucket {
		out.Files.Where = "bucket"
	}
	out.Nodes = nodesOf(in, &out.Rates, at)
	out.Servers = serversOf(in, &out, at)
	out.Cost = costOf(in, &out)
	return out
}

// sends returns how often the index file of a tenant is kept a day: when it is open for an hour after a record, and when it has grown.
func sends(in *Input) float64 {
	return min(in.Opens, in.Records) + in.Records/max(leastGrown, in.Memories/grownShare)
}

func ratesOf(in *Input) Rates {
	all := in.Tenants * in.Peak / day
	return Rates{Searches: all * in.Searches, Records: all * in.Records, Opens: all * in.Opens, Sends: all * sends(in), Tidies: all * in.Tidies}
}

// further returns the searches a second that do not open their tenant.
func further(r *Rates) float64 { return max(0, r.Searches-r.Opens) }

// opening returns the mean of what an opening costs, of three ways.
func opening(in *Input, here, fetched, built float64) float64 {
	return (1-in.Fetched-in.Built)*here + in.Fetched*fetched + in.Built*built
}

func nodesOf(in *Input, r *Rates, at func(string) float64) Nodes {
	m := &in.Machines
	n := Nodes{
		Cores: milli * ((r.Searches+r.Records)*at(HTTPNode) + further(r)*at(SearchNode) + r.Records*at(RecordNode) + r.Opens*opening(in, at(OpenNode), at(FetchNode), at(BuildNode)) +
			r.Sends*at(SendNode) + r.Tidies*at(TidyNode)),
		Warm: in.Tenants * in.Active,
	}
	tenants := n.Warm * at(HeldSearched) / gib
	n.PageCache = n.Warm * at(HeldPages) / gib
	program := at(Program) / gib
	byCores := n.Cores / (m.NodeCores * m.Busy)
	byMemory := (garbage*tenants + n.PageCache) / (m.NodeMemory*m.Busy - program)
	working := math.Ceil(max(1, byCores, byMemory))
	n.BoundBy = most([]string{"one is enough", "cores", "memory"}, 1, byCores, byMemory)
	n.Count = working + m.SpareNodes
	n.Anonymous = garbage*tenants + working*program
	n.IndexMemory = math.Ceil(tenants / working * 1024)
	return n
}

// most returns the name of the largest value, the first one of equal ones.
func most(names []string, values ...float64) string {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return names[best]
}

// firstShare returns the share of the calls of a tenant that are the first one since a checkpoint, if a number of them come at random times
// between two checkpoints on average: those log whole pages.
func firstShare(calls float64) float64 {
	if calls < 1e-9 {
		return 1
	}
	return -math.Expm1(-calls) / calls
}

// logOf returns the bytes of the log of a day.
func logOf(in *Input, at func(string) float64) float64 {
	perHour := (in.Searches + in.Records) * in.Peak * hourOfDay / max(in.Active, 1e-9) // of a tenant that is used in the peak hour
	first := firstShare(perHour * in.Machines.Checkpoint / 60)
	mean := func(later, after string) float64 { return at(later) + first*max(0, at(after)-at(later)) }
	sum := in.Searches*mean(SearchLog, SearchFirstLog) + in.Records*mean(RecordLog, RecordFirstLog) + in.Tidies*at(TidyLog)
	if !in.Bucket {
		sum += sends(in) * at(SendLog)
	}
	return in.Tenants * sum
}

func serversOf(in *Input, o *Output, at func(string) float64) Servers {
	m, r := &in.Machines, &o.Rates
	sending := at(SendDatabase)
	fetching := at(FetchDatabase)
	if in.Bucket {
		sending, fetching = 0, at(OpenDatabase)
	}
	s := Servers{
		Cores: milli * (further(r)*at(SearchDatabase) + r.Records*at(RecordDatabase) + r.Opens*opening(in, at(OpenDatabase), fetching, at(BuildDatabase)) +
			r.Sends*sending + r.Tidies*at(TidyDatabase)),
		Disk:        in.Tenants * (at(RowHeap) + at(RowIndex) + at(RowToast)) / gib,
		Connections: o.Nodes.Count * connectionsOfNode,
	}
	if !in.Bucket {
		s.Disk += o.Files.Size
	}
	log := logOf(in, at)
	s.Log, s.PeakLog = log/gib, log*in.Peak/day/megabyte
	byCores, byDisk, byLog := s.Cores/(m.ServerCores*m.Busy), s.Disk/(m.ServerDisk*m.Busy), s.PeakLog/m.ServerLog
	s.Count = math.Ceil(max(1, byCores, byDisk, byLog))
	s.BoundBy = most([]string{"one is enough", "cores", "disk", "log"}, 1, byCores, byDisk, byLog)
	s.Machines = s.Count * (1 + m.Standbys)
	return s
}

func costOf(in *Input, o *Output) Cost {
	m, p := &in.Machines, &in.Prices
	c := Cost{
		Nodes:   o.Nodes.Count * (m.NodeCores*p.Core + m.NodeMemory*p.Memory),
		Servers: o.Servers.Machines * (m.ServerCores*p.Core + m.ServerMemory*p.Memory),
		Disks:   o.Servers.Disk / m.Busy * (1 + m.Standbys) * p.Disk,
	}
	if in.Bucket {
		c.Bucket = o.Files.Size * p.Bucket
	}
	c.Sum = c.Nodes + c.Servers + c.Disks + c.Bucket
	c.Tenant = c.Sum / max(in.Tenants, 1) * 1000
	return c
}
