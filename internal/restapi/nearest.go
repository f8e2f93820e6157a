package restapi

import (
	"strings"

	"github.com/hippo-memory/hippo/internal/typo"
)

// nearest is " (did you mean ...?)" with the known name that is most similar to a name, if one is similar, and
// else lists all.
func nearest(name string, known []string) string {
	if len(known) == 0 {
		return "; there are no fields here"
	}
	best, least := "", 1+len(name)/2
	for _, k := range known {
		d := typo.Distance(strings.ToLower(name), k, least)
		if strings.HasPrefix(k, name) && len(name) > 2 || strings.HasPrefix(name, k) {
			d = 1
		}
		if d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ": known are " + strings.Join(known, ", ")
	}
	return " (did you mean " + best + "?)"
}
