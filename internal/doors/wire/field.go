package wire

import (
	"errors"
	"strings"

	"github.com/hippo-memory/hippo"
)

// RenameField returns err with the field of its [*hippo.FieldError], an index aside,
// replaced by the name that a front end has for it. Other errors, and fields that are not
// in names, stay as they are.
func RenameField(err error, names map[string]string) error {
	bad, ok := errors.AsType[*hippo.FieldError](err)
	if !ok {
		return err
	}
	field, index, _ := strings.Cut(bad.Field, "[")
	name, ok := names[field]
	if !ok {
		return err
	}
	if index != "" {
		name += "[" + index
	}
	return &hippo.FieldError{Field: name, Why: bad.Why}
}
