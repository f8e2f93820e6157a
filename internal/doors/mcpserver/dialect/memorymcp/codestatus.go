package memorymcp

import (
	"context"
	"math"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
)

// The states of an index, and of a part of the work on it.
const (
	stateIndexing  = "indexing"
	statePending   = "embedding_pending"
	stateCompleted = "completed"
	stateFailed    = "failed"
	partPending    = "pending"
	partRunning    = "in_progress"
)

// indexState returns the state of an index, and why it failed.
func indexState(s *api.CodeStatus) (state, problem string) {
	switch {
	case s.Progress != nil || s.Elsewhere:
		return stateIndexing, ""
	case s.Problem != "":
		return stateFailed, s.Problem
	case s.Failed != "":
		return stateFailed, s.Failed
	case s.Embedded < s.Chunks:
		return statePending, ""
	default:
		return stateCompleted, ""
	}
}

// codeProject is an entry of the list of source trees.
type codeProject struct {
	ID       string `json:"project_id"`
	Path     string `json:"path"`
	Project  string `json:"project,omitempty"`
	Status   string `json:"status"`
	Files    int    `json:"files"`
	Chunks   int    `json:"chunks"`
	Symbols  int    `json:"symbols"`
	Embedded int    `json:"embedded_chunks"`
	Updated  string `json:"updated_at,omitempty"`
}

func callProjects(ctx context.Context, c *d.Call) (d.Result, error) {
	l, err := library(c)
	if err != nil {
		return d.Result{}, err
	}
	trees, err := l.Visible(&c.Scope)
	if err != nil {
		return d.Result{}, err
	}
	out := struct {
		Projects []codeProject `json:"projects"`
		Count    int           `json:"count"`
	}{make([]codeProject, len(trees)), len(trees)}
	for i, t := range trees {
		s := t.Status(ctx)
		state, _ := indexState(&s)
		out.Projects[i] = codeProject{projectID(t), t.Root(), t.Project(), state, s.Files, s.Chunks, s.Symbols, s.Embedded, iso(s.Updated)}
	}
	return d.JSON(out, len(trees))
}

// codeStats are what an index holds.
type codeStats struct {
	ID        string         `json:"project_id"`
	Path      string         `json:"path"`
	Files     int            `json:"total_files"`
	Chunks    int            `json:"total_chunks"`
	Symbols   int            `json:"total_symbols"`
	Embedded  int            `json:"embedded_chunks"`
	Languages map[string]int `json:"languages"`
	Skipped   int            `json:"skipped_files"`
	Bytes     int64          `json:"index_bytes"`
	Updated   string         `json:"updated_at,omitempty"`
}

func callStats(ctx context.Context, c *d.Call) (d.Result, error) {
	t, err := treeOf(c)
	if err != nil {
		return d.Result{}, err
	}
	s := t.Status(ctx)
	if n := s.Languages[""]; n > 0 { // files without a language that the parsers know
		delete(s.Languages, "")
		s.Languages["other"] = n
	}
	return d.JSON(codeStats{projectID(t), t.Root(), s.Files, s.Chunks, s.Symbols, s.Embedded, s.Languages, s.Skipped, s.Bytes, iso(s.Updated)}, 1)
}

// indexStatus is how far an index is.
type indexStatus struct {
	ID      string `json:"project_id"`
	Status  string `json:"status"`
	Syncing bool   `json:"is_syncing"`
	Queue   int    `json:"sync_queue_size"` // 0: an update takes all that has changed
	indexFiles
	Started  string `json:"started_at,omitempty"`
	Finished string `json:"completed_at,omitempty"`
	indexParts
	Problem string `json:"error_message,omitempty"`
	// ETA is how long the part under way will still take, in seconds; 0: not known, or nothing is under way.
	ETA int `json:"eta_seconds,omitempty"`
}

// indexFiles are those that an index has. Failed are some of those that it lacks because they are too large or cannot be read.
type indexFiles struct {
	Total   int      `json:"total_files"`
	Indexed int      `json:"indexed_files"`
	Failed  []string `json:"failed_files"`
}

// indexParts are the parts of the work on an index. Definitions have no vectors of their own: those of chunks find them.
type indexParts struct {
	Parsing struct {
		Status   string  `json:"status"`
		Progress float64 `json:"progress"` // in percent
	} `json:"parsing"`
	Vectors indexPart `json:"vector_embeddings"`
	Graph   indexPart `json:"graph_embeddings"`
	Overall struct {
		Percent  float64 `json:"percent"`
		Complete bool    `json:"is_complete"`
	} `json:"overall_progress"`
	// Percent is that of Overall, under its older name.
	Percent float64 `json:"progress_percent"`
}

// indexPart is a part of the work on an index.
type indexPart struct {
	Status    string  `json:"status"`
	Total     int     `json:"total"`
	Completed int     `json:"completed"`
	Percent   float64 `json:"percent"`
}

// maxFailed bounds the files that the state names.
const maxFailed = 100

func callIndexStatus(ctx context.Context, c *d.Call) (d.Result, error) {
	t, err := treeOf(c)
	if err != nil {
		return d.Result{}, err
	}
	s := t.Status(ctx)
	out := indexStatus{
		ID: projectID(t), Syncing: s.Progress != nil || s.Elsewhere, indexFiles: indexFiles{s.Files, s.Files, code.Failed(t, maxFailed)},
		Started: iso(s.Began), Finished: iso(s.Updated), indexParts: partsOf(&s),
	}
	if out.Status, out.Problem = indexState(&s); s.Progress != nil {
		out.Finished, out.ETA = "", int(s.Progress.Left.Seconds())
	}
	return d.JSON(out, 1)
}

// Of the whole, parsing is the larger part, and vectors are the rest. Source: the design of memory-mcp.
const parsingShare, vectorShare = .70, .30

func partsOf(s *api.CodeStatus) (p indexParts) {
	parsed, embedded := 1., 1.
	p.Parsing.Status, p.Vectors.Status = stateCompleted, stateCompleted
	p.Graph = indexPart{Status: stateCompleted, Percent: 100}
	state, _ := indexState(s)
	if s.Chunks > 0 {
		embedded = float64(s.Embedded) / float64(s.Chunks)
	}
	switch {
	case s.Progress != nil:
		parsed, embedded = parsedShare(s.Progress), 0
		p.Parsing.Status, p.Vectors.Status = partRunning, partPending
		if s.Progress.Phase == api.CodeIndexing {
			p.Parsing.Status, p.Vectors.Status = stateCompleted, partRunning
		}
	case state == stateFailed:
		p.Parsing.Status = stateFailed
	case state == statePending:
		p.Vectors.Status = partRunning
	}
	if state == stateFailed && s.Updated.IsZero() { // there is no index
		parsed, embedded = 0, 0
		p.Vectors.Status = partPending
	}
	p.Parsing.Progress = percent(parsed)
	p.Vectors.Total, p.Vectors.Completed, p.Vectors.Percent = s.Chunks, s.Embedded, percent(embedded)
	p.Overall.Percent, p.Overall.Complete = percent(parsed*(parsingShare+vectorShare*embedded)), state == stateCompleted
	p.Percent = p.Overall.Percent
	return p
}

// parsedShare is how much of an update is parsed.
func parsedShare(p *api.CodeProgress) float64 {
	switch {
	case p.Phase == api.CodeIndexing:
		return 1
	case p.Total > 0:
		return float64(p.Done) / float64(p.Total)
	default:
		return 0
	}
}

// percent returns a share in percent, with one digit.
func percent(share float64) float64 { return math.Round(1000*share) / 10 }
