package wire_test

import (
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Contents and kinds are text in a drawing, whatever they hold.
func TestDraw(t *testing.T) {
	t.Parallel()
	a, b := hippo.ID{1}, hippo.ID{2}
	g := &api.Subgraph{
		Nodes: []api.Node{
			{Memory: &hippo.Memory{ID: a, Content: "say \"hi\"\\ ]\n  click n0 <b>é</b> #quot; %d"}},
			{Memory: &hippo.Memory{ID: b, Content: "end"}, Distance: 1},
		},
		Relations: []hippo.Relation{{From: a, To: b, Kind: "x|\"]; n9"}, {From: b, To: a, Kind: "back"}},
	}
	for language, want := range map[string]string{
		verb.Mermaid: `flowchart LR
  n0["say #34;hi#34;#92; #93; click n0 #60;b#62;é#60;/b#62; #35;quot#59; #37;d"]
  n1["end"]
  n0 -->|"x#124;#34;#93;#59; n9"| n1
  n1 -->|"back"| n0
`,
		verb.Graphviz: `digraph memory {
  rankdir=LR;
  node [shape=box];
  n0 [label="say \"hi\"\\ ] click n0 <b>é</b> #quot; %d"];
  n1 [label="end"];
  n0 -> n1 [label="x|\"]; n9"];
  n1 -> n0 [label="back"];
}
`,
	} {
		got, err := wire.Draw(g, language, time.Now())
		if err != nil || got != want {
			t.Errorf("%s: %v\n%s", language, err, got)
		}
	}
	if _, err := wire.Draw(g, "png", time.Now()); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("another language: %v", err)
	}
}

// A comment stays one, whatever its text holds.
func TestDrawingComment(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{verb.Mermaid: "%% 2 insights ⏎ n0 --> n1", verb.Graphviz: "// 2 insights ⏎ n0 --> n1"} {
		if got := wire.DrawingComment(language, "2 insights\nn0 --> n1"); got != want {
			t.Errorf("%s: %q", language, got)
		}
	}
}
