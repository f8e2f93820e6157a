package wire

import (
	"math"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
)

// CodeHit is a chunk of code as JSON.
type CodeHit struct {
	CodePlace
	Name      string  `json:"name,omitempty"`
	Kind      string  `json:"kind"`
	Language  string  `json:"language"`
	Signature string  `json:"signature,omitempty"`
	Relevance float64 `json:"relevance"`
	Text      string  `json:"text,omitempty"`
}

// CodePlace is where code is: lines from 1, the last one included.
type CodePlace struct {
	Root      string `json:"root"`
	Path      string `json:"path"`
	FirstLine int    `json:"first_line"`
	LastLine  int    `json:"last_line"`
	// Stale says that the file has changed or is gone; absent: it is as it was indexed.
	Stale string `json:"stale,omitempty"`
}

// CodeAnswer are the hits of a search of code.
type CodeAnswer struct {
	Hits  []CodeHit `json:"hits"`
	Total int       `json:"total"`
	Weak  string    `json:"weak,omitempty"`
	Notes []string  `json:"notes,omitempty"`
}

// CodeAnswerOf returns an answer as JSON.
func CodeAnswerOf(a *codeindex.Answer) CodeAnswer {
	out := CodeAnswer{Hits: make([]CodeHit, len(a.Hits)), Total: a.Total, Weak: a.Weak, Notes: a.Notes}
	for i := range a.Hits {
		out.Hits[i] = codeHitOf(&a.Hits[i])
	}
	return out
}

func codeHitOf(h *api.CodeHit) CodeHit {
	return CodeHit{
		CodePlace: CodePlace{h.Root, h.Path, h.First, h.Last, string(h.Freshness)}, Name: h.Name, Kind: h.Kind, Language: h.Language, Signature: h.Signature,
		Relevance: h.Relevance, Text: h.Text,
	}
}

// CodeSymbol is a definition as JSON.
type CodeSymbol struct {
	CodePlace
	Key       string `json:"key"`
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Language  string `json:"language"`
	Signature string `json:"signature,omitempty"`
	Doc       string `json:"doc,omitempty"`
	Text      string `json:"text,omitempty"`
}

// CodeSymbolsOf returns definitions as JSON.
func CodeSymbolsOf(list []codeindex.Definition) []CodeSymbol {
	out := make([]CodeSymbol, len(list))
	for i := range list {
		d := &list[i]
		out[i] = CodeSymbol{
			CodePlace: CodePlace{d.Root, d.Path, d.First, d.Last, string(d.Freshness)}, Key: d.Key, Name: d.Name, Kind: string(d.Kind), Language: d.Language,
			Signature: d.Signature, Doc: d.Doc, Text: d.Text,
		}
	}
	return out
}

// CodeReport is what an update of a code index did, as JSON.
type CodeReport struct {
	Root      string `json:"root"`
	Project   string `json:"project,omitempty"`
	Parsed    int    `json:"parsed"`
	Removed   int    `json:"removed"`
	Unchanged int    `json:"unchanged"`
	CodeTotals
	Bytes  int64      `json:"bytes"`
	Errors int        `json:"syntax_errors"`
	MS     int64      `json:"ms"`
	Skips  []CodeSkip `json:"skipped"`
}

// CodeTotals are the numbers of what a code index holds.
type CodeTotals struct {
	Files   int `json:"files"`
	Chunks  int `json:"chunks"`
	Symbols int `json:"symbols"`
}

// CodeSkip is a file or a folder that is left out.
type CodeSkip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// CodeReportOf returns a report as JSON.
func CodeReportOf(r *codeindex.Report) CodeReport {
	return CodeReport{
		Root: r.Root.Path, Project: r.Root.Project, Parsed: r.Parsed, Removed: r.Removed, Unchanged: r.Unchanged, CodeTotals: CodeTotals{r.Files, r.Chunks, r.Symbols},
		Bytes: r.Bytes, Errors: r.Errors, MS: r.Took.Milliseconds(), Skips: CodeSkipsOf(r.Skips),
	}
}

// CodeSkipsOf returns skips as JSON.
func CodeSkipsOf(list []walk.Skip) []CodeSkip {
	out := make([]CodeSkip, len(list))
	for i, s := range list {
		out[i] = CodeSkip{s.Path, string(s.Reason), s.Detail}
	}
	return out
}

// CodeStatus is the state of the index of a root as JSON.
type CodeStatus struct {
	Root    string `json:"root"`
	Project string `json:"project,omitempty"`
	// Problem says why the index does not answer, or that it is damaged; absent: it answers.
	Problem string `json:"problem,omitempty"`
	CodeTotals
	Languages map[string]int `json:"languages"`
	Updated   string         `json:"updated,omitempty"`
	Bytes     int64          `json:"index_bytes"`
	Skipped   int            `json:"skipped"`
	Embedded  int            `json:"embedded"`
	// Encoder is absent if it takes no part, as in large trees.
	Encoder *CodeEncoder `json:"encoder,omitempty"`
}

// CodeEncoder says how far the vectors by the encoder are, as JSON.
type CodeEncoder struct {
	Encoded int `json:"embedded"`
	Chunks  int `json:"chunks"`
	// Running: a process makes them now. Left is the seconds that it will still take, or would; absent: not known.
	Running bool `json:"running"`
	Left    int  `json:"seconds_left,omitempty"`
}

// CodeStatusOf returns a state as JSON.
func CodeStatusOf(s *codeindex.Status) CodeStatus {
	out := CodeStatus{
		Root: s.Root.Path, Project: s.Root.Project, Problem: s.Problem, CodeTotals: CodeTotals{s.Files, s.Chunks, s.Symbols}, Languages: s.Languages, Bytes: s.Bytes,
		Skipped: s.Skipped, Embedded: s.Embedded,
	}
	if e := &s.Encoding; e.Encodable > 0 {
		out.Encoder = &CodeEncoder{Encoded: e.Encoded, Chunks: e.Encodable, Running: e.Running, Left: int(math.Ceil(e.Left.Seconds()))}
	}
	if !s.Updated.IsZero() {
		out.Updated = s.Updated.Format("2006-01-02T15:04:05Z07:00")
	}
	return out
}
