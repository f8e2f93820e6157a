package verb

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Graph says which relations count, and how much of a graph is shown.
type Graph struct {
	kinds   []string
	learned bool
	at      Moment
	Page
}

// Args are the arguments that fill a Graph.
func (g *Graph) Args() []Arg {
	return append([]Arg{
		{Name: "kind", About: "only relations of this kind (default: any declared one)", To: &g.kinds},
		{Name: "learned", About: "include relations learned from use", To: &g.learned},
		g.Page.Args()[0],
	}, g.at.Args()...)
}

// filter returns which relations count, and how much is shown.
func (g *Graph) filter(now time.Time) (f api.GraphFilter, count int, err error) {
	f.Kinds, f.Learned = g.kinds, g.learned
	if count, err = g.Count(); err == nil {
		f.At, err = g.at.Moment(now)
	}
	return f, count, err
}

// Communities asks for groups of memories.
type Communities struct{ Graph }

// NewCommunities returns a request for communities.
func NewCommunities() *Communities {
	const usual = 20
	return &Communities{Graph{Page: Page{Usual: usual, Most: api.MaxCommunities}}}
}

// Request returns the request, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (c *Communities) Request(now time.Time) (q api.Communities, err error) {
	q.GraphFilter, q.Count, err = c.filter(now)
	return q, err
}

// walk is how far to go along relations.
type walk struct {
	Depth     int
	direction string
	Graph
}

// Args are the arguments that fill a walk.
func (w *walk) Args() []Arg {
	directions := []api.Direction{api.DirectionBoth, api.DirectionOut, api.DirectionIn}
	return append([]Arg{
		{Name: "depth", Field: "depth", About: "the largest number of relations away, at most 10", Rules: Schema{"minimum": 1, "maximum": api.MaxDepth, "default": w.Depth}, To: &w.Depth},
		{Name: "direction", About: "the direction of relations to follow: out, in or both", Values: words(directions), Rules: Schema{"default": api.DirectionBoth}, To: &w.direction},
	}, w.Graph.Args()...)
}

// valid reports a depth that is none.
func (w *walk) valid() error {
	if w.Depth < 1 {
		return hippo.Fieldf("depth", "must be between 1 and %d, got %d", api.MaxDepth, w.Depth)
	}
	return nil
}

// Neighbours asks for what is near a memory. The command line takes the ID as a word.
type Neighbours struct {
	ID End
	walk
}

// NewNeighbours returns a request that goes to a depth, unless another one is given.
func NewNeighbours(depth int) *Neighbours {
	const usual = 100
	return &Neighbours{walk: walk{Depth: depth, Graph: Graph{Page: Page{Usual: usual, Most: api.MaxNodes}}}}
}

// Args are the arguments that fill a Neighbours.
func (n *Neighbours) Args() []Arg {
	return append(n.walk.Args(), Arg{Name: "id", As: lacking(Shell), Is: Required, To: &n.ID})
}

// Request returns the request, without the ID, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (n *Neighbours) Request(now time.Time) (q api.Neighbours, err error) {
	q.Depth, q.Direction = n.Depth, api.Direction(n.direction)
	if err = n.valid(); err == nil {
		q.GraphFilter, q.Count, err = n.filter(now)
	}
	return q, err
}

// The languages of drawings.
const (
	Mermaid  = "mermaid"
	Graphviz = "graphviz"
)

// Drawing asks for what is near a memory, as a drawing.
type Drawing struct {
	*Neighbours
	Format string
}

// NewDrawing returns a request for a drawing.
func NewDrawing() *Drawing { return &Drawing{NewNeighbours(2), Mermaid} }

// Args are the arguments that fill a Drawing.
func (d *Drawing) Args() []Arg {
	return append(d.Neighbours.Args(), Arg{
		Name: "format", About: "the language of the drawing: mermaid or graphviz", Values: []string{Mermaid, Graphviz}, Rules: Schema{"default": Mermaid}, To: &d.Format,
	})
}

// Paths asks how two memories are connected. The command line takes the ends as words.
type Paths struct {
	From, To End
	walk
}

// NewPaths returns a request for paths.
func NewPaths() *Paths {
	const usual, depth = 10, 5
	return &Paths{walk: walk{Depth: depth, Graph: Graph{Page: Page{Usual: usual, Most: api.MaxPaths}}}}
}

// Args are the arguments that fill a Paths.
func (p *Paths) Args() []Arg {
	return append(p.walk.Args(), Arg{Name: "from", As: lacking(Shell), Is: Required, To: &p.From}, Arg{Name: "to", As: lacking(Shell), Is: Required, To: &p.To})
}

// Request returns the request, without the ends, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (p *Paths) Request(now time.Time) (q api.Paths, err error) {
	q.Depth, q.Direction = p.Depth, api.Direction(p.direction)
	if err = p.valid(); err == nil {
		q.GraphFilter, q.Count, err = p.filter(now)
	}
	return q, err
}
