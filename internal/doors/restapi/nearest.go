package restapi

import (
	"cmp"
	"strings"

	"github.com/hippo-memory/hippo/internal/base/typo"
)

// nearest is " (did you mean NAME?)" with the known name that is most similar to a name, if one is similar, and else lists all.
func nearest(name string, known []string) string {
	if len(known) == 0 {
		return "; there are no fields here"
	}
	return cmp.Or(typo.Suggestion(name, known), ": known are "+strings.Join(known, ", "))
}
