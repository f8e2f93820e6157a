package modelfile

import (
	"fmt"

	"github.com/hippo-memory/hippo"
)

// Bound is a dimension of config.json with the least and the largest value that it may have.
type Bound struct {
	Name            string
	Value, From, To int
}

// CheckBounds returns [hippo.ErrCorrupt] with the first dimension that is out of its bounds: a malformed file must not
// exhaust the memory.
func CheckBounds(list []Bound) error {
	for _, b := range list {
		if b.Value < b.From || b.Value > b.To {
			return Corrupt(fmt.Errorf("%s must be between %d and %d, got %d", b.Name, b.From, b.To, b.Value))
		}
	}
	return nil
}

// Corrupt returns [hippo.ErrCorrupt] for a config.json.
func Corrupt(err error) error { return fmt.Errorf("%w: config.json: %w", hippo.ErrCorrupt, err) }

// Unsupported returns [hippo.ErrUnsupported] with the name and the value of a setting of config.json.
func Unsupported(name string, value any) error {
	return fmt.Errorf("%w: config.json: %s %v", hippo.ErrUnsupported, name, value)
}
