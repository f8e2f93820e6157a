package arch_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the exceptions in testdata; their sum may only fall")

// exceptions reads how often each place may still break a rule; counts are those of now,
// which take their place with -update. Their sum may only fall.
func exceptions(t *testing.T, file string, counts map[string]int) map[string]int {
	t.Helper()
	file = filepath.FromSlash(file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := readCounts(text)
	if err != nil {
		t.Fatal(err)
	}
	if !*update {
		return allowed
	}
	if sum(counts) > sum(allowed) {
		t.Errorf("%s: %d exceptions, and %d are allowed: not updated", file, sum(counts), sum(allowed))
		return allowed
	}
	if err := os.WriteFile(file, writeCounts(counts), 0o600); err != nil {
		t.Fatal(err)
	}
	return counts
}

func sum(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// readCounts reads lines of a name and a number; # begins a comment.
func readCounts(text []byte) (map[string]int, error) {
	counts := make(map[string]int)
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%q: want a name and a number", line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
		counts[fields[0]] = n
	}
	return counts, nil
}

func writeCounts(counts map[string]int) []byte {
	var b bytes.Buffer
	b.WriteString("# Exceptions to a rule of internal/arch. Their sum may only fall: go test ./internal/arch -update\n")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s %d\n", name, counts[name])
	}
	return b.Bytes()
}

func TestCounts_round_trip(t *testing.T) {
	t.Parallel()
	want := map[string]int{"a/b.go": 3, "c.md": 1}
	got, err := readCounts(writeCounts(want))
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, text := range []string{"a.go\n", "a.go x\n", "a.go 1 2\n"} {
		if _, err := readCounts([]byte(text)); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}
