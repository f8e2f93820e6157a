package wire

import (
	"log/slog"
	"time"

	"github.com/hippo-memory/hippo"
)

// LogCall logs a call of a verb at level debug: how long it took, how many memories it returned or
// changed, and the code of its error. It logs no content and no argument.
func LogCall(log *slog.Logger, verb string, took time.Duration, count int, err error) {
	log.Debug("call", "verb", verb, "duration", took.Round(10*time.Microsecond), "count", count, "error", hippo.CodeOf(err))
}
