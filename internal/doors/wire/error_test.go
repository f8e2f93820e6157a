package wire_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// An error that repeats a huge argument says what is wrong at both of its ends, in a message of bounded length.
func TestErrorOf_Bounded(t *testing.T) {
	t.Parallel()
	for _, huge := range []string{strings.Repeat("a", 1<<20), strings.Repeat("é", 1<<19), strings.Repeat("x\xff", 1<<18)} {
		got := wire.ErrorOf(fmt.Errorf("%w: the key %s is not known", hippo.ErrInvalid, huge), "").Error.Message
		if len(got) > 9<<10 || !strings.HasPrefix(got, "invalid: the key ") || !strings.HasSuffix(got, " is not known") || !strings.Contains(got, "bytes left out") {
			t.Errorf("%d bytes: %.60s", len(got), got)
		}
		if utf8.ValidString(huge) != utf8.ValidString(got) && !utf8.ValidString(got) {
			t.Errorf("it is not UTF-8: %.60q", got)
		}
	}
	short := fmt.Errorf("%w: the key %s", hippo.ErrInvalid, strings.Repeat("é", 1000))
	if got := wire.ErrorOf(short, "").Error.Message; got != short.Error() {
		t.Errorf("a message of %d bytes was changed", len(short.Error()))
	}
}
