// Package typo measures how far a name is from the one that was meant.
package typo

// longest is how many bytes of a name count in [Distance].
const longest = 64

// Distance is the optimal string alignment distance of two names in bytes: how many are missing, added, wrong or exchanged with the
// next one. A distance above most may be any number above most. Of a name only the first 64 bytes count. Cost: the product of the
// lengths; nothing where they differ by more than most.
func Distance(a, b string, most int) int {
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	if more := max(len(a)-len(b), len(b)-len(a)); more > most {
		return more
	}
	var rows [3][longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for k := range len(b) + 1 {
		last[k] = k
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			row[k] = min(last[k]+1, row[k-1]+1, last[k-1]+cost)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				row[k] = min(row[k], before[k-2]+1)
			}
			least = min(least, row[k])
		}
		if least > most {
			return least
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
