package restapi

import "strings"

// nearest is " (did you mean ...?)" with the known name that is most similar to a name, if one is similar, and
// else lists all.
func nearest(name string, known []string) string {
	if len(known) == 0 {
		return "; there are no fields here"
	}
	best, least := "", 1+len(name)/2
	for _, k := range known {
		d := distance(strings.ToLower(name), k)
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

// distance is the Levenshtein distance of two names in bytes. Of a long one only the first 64 bytes count.
func distance(a, b string) int {
	const enough = 64
	a, b = a[:min(len(a), enough)], b[:min(len(b), enough)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
