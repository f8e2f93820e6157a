package peers_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/importer/peers"
)

func TestConflict_is_no_example_and_no_heading(t *testing.T) {
	t.Parallel()
	const conflict = "<<<<<<< HEAD\n- ours\n=======\n- theirs\n>>>>>>> feature\n"
	for text, line := range map[string]string{
		conflict: "line 1:",
		"# Notes\r\n\r\n" + strings.ReplaceAll(conflict, "\n", "\r\n"): "line 3:",
		"<<<<<<< HEAD\n```\nours\n=======\ntheirs\n```\n>>>>>>> x":     "line 1:",
		"```\n" + conflict + "```\n":                                   "",
		"Title\n=======\n\n>>>>>>> deep quote\n":                       "",
		"<<<<<<<< eight\n=======\n>>>>>>> x\n":                         "",
		"<<<<<<< HEAD\nan old wound\n":                                 "",
	} {
		err := peers.Conflict(text)
		if (err != nil) != (line != "") || err != nil && !strings.Contains(err.Error(), line) {
			t.Errorf("%q: got %v, want %q", text, err, line)
		}
	}
}
