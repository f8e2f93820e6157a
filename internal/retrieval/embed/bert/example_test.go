package bert_test

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
)

func ExampleOpen() {
	m, err := bert.Open("testdata/bert", bert.Options{Model: embed.Model{ID: "tiny@1", Space: "tiny@1"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = m.Close() }()
	vectors, err := m.Embed(context.Background(), embed.Query, []string{"tabs or spaces?", "the café owner"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(vectors), "vectors of", m.Model().Dimension)
	// Output: 2 vectors of 32
}
