package engine

import (
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo"
)

// ErrVersion says that a memory was changed since the caller read it. It is a [hippo.ErrConflict].
var ErrVersion = fmt.Errorf("%w: the memory has another version", hippo.ErrConflict)

// Failure is an error in a form that can travel.
type Failure struct {
	Code hippo.Code
	Text string
	// At most one of these is set: the type that a caller looks for.
	Field     *hippo.FieldError     `json:",omitempty"`
	Secret    *hippo.SecretError    `json:",omitempty"`
	Unknown   *hippo.UnknownError   `json:",omitempty"`
	Ambiguous *hippo.AmbiguousError `json:",omitempty"`
	Version   bool                  `json:",omitempty"` // [ErrVersion]
}

// NewFailure returns an error in a form that can travel.
func NewFailure(err error) *Failure {
	f := &Failure{Code: hippo.CodeOf(err), Text: err.Error(), Version: errors.Is(err, ErrVersion)}
	_ = errors.As(err, &f.Field) || errors.As(err, &f.Secret) || errors.As(err, &f.Unknown) || errors.As(err, &f.Ambiguous)
	return f
}

// Err returns the error, of the same kind and with the same text.
func (f *Failure) Err() error {
	var kind error
	switch {
	case f.Field != nil:
		kind = f.Field
	case f.Secret != nil:
		kind = f.Secret
	case f.Unknown != nil:
		kind = f.Unknown
	case f.Ambiguous != nil:
		kind = f.Ambiguous
	case f.Version:
		kind = ErrVersion
	default:
		kind = hippo.ErrorOf(f.Code)
	}
	if kind != nil && kind.Error() == f.Text {
		return kind
	}
	return &remoteError{text: f.Text, kind: kind}
}

// remoteError is an error of another process.
type remoteError struct {
	text string
	kind error // nil: of no known kind
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }
