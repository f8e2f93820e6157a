package formats_test

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// An entry that cannot be read is an error in its place; the others follow.
func ExampleRead() {
	src, err := formats.Read(strings.NewReader(`{"text": "Deploys freeze on Fridays", "importance": 0.9}
{"text": "Alice owns billing", "importance": 9}
{"text": "Bob is on leave", "tags": "people"}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, err := range src.Entries() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m.Content, m.Importance.Value, m.Tags)
	}
	// Output:
	// Deploys freeze on Fridays 0.9 []
	// line 2: importance: must be between 0 and 1, got 9
	// Bob is on leave 0.5 [people]
}
