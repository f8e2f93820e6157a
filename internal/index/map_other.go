//go:build !unix

package index

import "os"

// canMap reports whether snapshots are mapped. Where a mapped file cannot be
// replaced they are read.
const canMap = false

// mapping has no meaning here.
type mapping struct{}

// mapFile reads a file.
func mapFile(path string) ([]byte, *mapping, error) {
	data, err := os.ReadFile(path)
	return data, &mapping{}, err
}

func (*mapping) close() {}

func (*mapping) belongsTo(*base) {}

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
