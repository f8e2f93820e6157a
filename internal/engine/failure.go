package engine

import (
	"errors"

	"github.com/hippo-memory/hippo"
)

// failure is an error in a form that can travel.
type failure struct {
	Code hippo.Code
	Text string
	// At most one of these is set: the type that a caller looks for.
	Field     *hippo.FieldError     `json:",omitempty"`
	Secret    *hippo.SecretError    `json:",omitempty"`
	Unknown   *hippo.UnknownError   `json:",omitempty"`
	Ambiguous *hippo.AmbiguousError `json:",omitempty"`
}

func newFailure(err error) *failure {
	f := &failure{Code: hippo.CodeOf(err), Text: err.Error()}
	_ = errors.As(err, &f.Field) || errors.As(err, &f.Secret) || errors.As(err, &f.Unknown) || errors.As(err, &f.Ambiguous)
	return f
}

// err returns the error, of the same kind and with the same text.
func (f *failure) err() error {
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
