package termtext_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func TestArgument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ system, text, want string }{
		{"linux", "/home/a/memory.db", "/home/a/memory.db"},
		{"linux", "/home/a b/memory.db", "'/home/a b/memory.db'"},
		{"linux", "it's", `'it'\''s'`},
		{"linux", "$HOME", "'$HOME'"},
		{"linux", "", "''"},
		{"linux", "a\nb", "'a " + termtext.Break + " b'"},
		{"windows", `C:\memory.db`, `C:\memory.db`},
		{"windows", `C:\Program Files\memory.db`, `"C:\Program Files\memory.db"`},
	} {
		if got := termtext.ArgumentOn(c.system, c.text); got != c.want {
			t.Errorf("ArgumentOn(%s, %q) = %s, want %s", c.system, c.text, got, c.want)
		}
	}
}
