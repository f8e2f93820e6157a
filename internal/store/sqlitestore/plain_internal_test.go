package sqlitestore

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What decodePlain accepts it decodes as package json does, and it accepts what memories usually have.
func TestDecodePlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`["go"]`: true, `["go","é, [x]"]`: true, `[""]`: true, `["a\"b"]`: false, `["a\\","b"]`: false, `["]`: false, `[`: false, `[]`: false,
	} {
		var list []string
		if got := decodePlain(text, &list); got != want {
			t.Errorf("%s: accepted is %t", text, got)
		}
	}
	for text, want := range map[string]bool{
		`[[7,1]]`: true, `[[-7,1]]`: true, `[[7,1],[8,2]]`: false, `[[7]]`: false, `[[7,1`: false, `[["7","1"]]`: false, `[[1.5,1]]`: false,
	} {
		var pairs [][2]int
		if got := decodePlain(text, &pairs); got != want {
			t.Errorf("%s: accepted is %t", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a"\\,\[\]]*`))).Draw(t, "list")
		sameAsJSON(t, lists)
		pairs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(-9, math.MaxInt32).Draw(t, "day"), rapid.Int().Draw(t, "count")}
		})).Draw(t, "pairs")
		sameAsJSON(t, pairs)
	})
}

// sameAsJSON decodes the JSON of a value, if that is plain.
func sameAsJSON[T any](t *rapid.T, want T) {
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var decoded, got T
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	if decodePlain(string(text), &got) {
		if d := cmp.Diff(decoded, got); d != "" {
			t.Fatalf("%s (-want +got):\n%s", text, d)
		}
	}
}
