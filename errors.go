package hippo

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The kinds of failure. Test with [errors.Is]; [CodeOf] maps an error to its code.
var (
	// ErrInvalid: the input breaks a rule; a *FieldError says which.
	ErrInvalid = errors.New("invalid")
	// ErrNotFound: no memory has that ID.
	ErrNotFound = errors.New("not found")
	// ErrForbidden: the caller lacks the right to do it.
	ErrForbidden = errors.New("forbidden")
	// ErrConflict: the request contradicts itself or the state of the store.
	ErrConflict = errors.New("conflict")
	// ErrUnsupported: this store or build cannot do it.
	ErrUnsupported = errors.New("not supported")
	// ErrUnavailable: a store or a model cannot be reached now.
	ErrUnavailable = errors.New("unavailable")
	// ErrCorrupt: stored data cannot be read; the error says where it is.
	ErrCorrupt = errors.New("corrupt")
	// ErrReadOnly: the store cannot be written.
	ErrReadOnly = errors.New("read-only")
	// ErrFull: the disk or the store's quota is used up.
	ErrFull = errors.New("no space left")
)

// FieldError says which input field breaks which rule. It is an [ErrInvalid].
type FieldError struct {
	// Field is a field of a memory by its key in files ("situation[2]", "valid_until"), or a
	// field of a [Query] or of another request by its Go name ("Offset", "IDs"), which a
	// front end replaces by its own.
	Field string
	// Why states the rule and what was given: "must be between 0 and 1, got 1.5".
	Why string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Why }

// Unwrap makes a FieldError an [ErrInvalid].
func (e *FieldError) Unwrap() error { return ErrInvalid }

// Fieldf returns a [*FieldError] with a formatted reason.
func Fieldf(field, format string, args ...any) error {
	return &FieldError{Field: field, Why: fmt.Sprintf(format, args...)}
}

// UnknownError lists the IDs of a request that no memory has. It is an [ErrNotFound].
type UnknownError struct {
	IDs []ID
}

func (e *UnknownError) Error() string {
	s := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		s[i] = id.String()
	}
	return "no memory with id " + strings.Join(s, ", ")
}

// Unwrap makes an UnknownError an [ErrNotFound].
func (e *UnknownError) Unwrap() error { return ErrNotFound }

// Code is a stable name for a kind of failure, for programs to read.
type Code string

// The codes.
const (
	CodeOK          Code = "ok"
	CodeInvalid     Code = "invalid"
	CodeNotFound    Code = "not_found"
	CodeForbidden   Code = "forbidden"
	CodeConflict    Code = "conflict"
	CodeUnsupported Code = "unsupported"
	CodeUnavailable Code = "unavailable"
	CodeCorrupt     Code = "corrupt"
	CodeReadOnly    Code = "read_only"
	CodeFull        Code = "full"
	CodeCanceled    Code = "canceled"
	CodeInternal    Code = "internal"
)

// CodeOf returns the code of err: CodeOK for nil, CodeInternal for an error of
// no known kind.
func CodeOf(err error) Code {
	if err == nil {
		return CodeOK
	}
	for _, k := range []struct {
		err  error
		code Code
	}{
		{ErrInvalid, CodeInvalid},
		{ErrNotFound, CodeNotFound},
		{ErrForbidden, CodeForbidden},
		{ErrConflict, CodeConflict},
		{ErrUnsupported, CodeUnsupported},
		{ErrReadOnly, CodeReadOnly},
		{ErrFull, CodeFull},
		{ErrCorrupt, CodeCorrupt},
		{ErrUnavailable, CodeUnavailable},
		{context.Canceled, CodeCanceled},
		{context.DeadlineExceeded, CodeCanceled},
	} {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	return CodeInternal
}
