package entry

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzFields compares fields with the decoder of the standard library.
func FuzzFields(f *testing.F) {
	for _, text := range []string{
		`{}`, "{}\f", ` { "a" : 1 , "b":[1,{"c":"]}"}] } `, `{"a":"\"}","\u0061":2}`, `{"a":{"b":{}},"c":null,"d":"\\"}`, `{"é":"ü","":0}`, `{"a":1`, `{"a":1,}`, `{"a":1}x`, `[]`, `null`, "{\"\xff\":1}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := fields(b)
		var members map[string]json.RawMessage
		bad := json.Unmarshal(b, &members)
		if err == nil && (bad != nil || len(members) != len(list)) {
			t.Fatalf("fields(%q) has %d members, the decoder has %d (%v)", b, len(list), len(members), bad)
		}
		for _, one := range list {
			if want := members[one.key]; err == nil && !bytes.Equal(one.value, want) {
				t.Errorf("fields(%q) has %q for %q, want %q", b, one.value, one.key, want)
			}
		}
	})
}
