package typo

import "strings"

// Suggestion is " (did you mean NAME?)" with the known name that is most similar to another one, the first of equals; empty if none is similar.
func Suggestion(name string, known []string) string {
	best, least := "", 1+len(name)/2
	for _, k := range known {
		d := Distance(strings.ToLower(name), k, least)
		if strings.HasPrefix(k, name) && len(name) > 2 || strings.HasPrefix(name, k) || strings.TrimSuffix(name, "s") == strings.TrimSuffix(k, "s") {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}
