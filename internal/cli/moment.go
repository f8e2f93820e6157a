package cli

import (
	"time"

	"github.com/hippo-memory/hippo/internal/lang/when"
)

// setTime sets a time to the one that a flag names, in the user's zone; an empty text leaves it.
func setTime(s *shell, to *time.Time, flag, text string) (err error) {
	if text == "" {
		return nil
	}
	read := when.At
	if flag == "valid-until" {
		read = when.Ahead
	}
	*to, err = read(flag, text, s.now().In(time.Local))
	return err
}
