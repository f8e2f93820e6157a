package hippo

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// ErrSecret: a text seems to hold a secret; a *SecretError says where.
	ErrSecret = errors.New("secret")
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

// Required is the error of a field that must be given, and is not, or is blank.
func Required(field string) error { return Fieldf(field, "is required, and must not be blank") }

// OneOf returns nil if a field has one of the allowed values, else a [*FieldError] that lists them.
func OneOf[T ~string](field string, got T, allowed ...T) error {
	if slices.Contains(allowed, got) {
		return nil
	}
	names := make([]string, len(allowed))
	for i, x := range allowed {
		names[i] = string(x)
	}
	return Fieldf(field, "must be one of %s, got %.60q", strings.Join(names, ", "), string(got))
}

// SecretError says where a memory seems to hold a key, a token or a password. It does not hold the
// secret itself. It is an [ErrSecret].
type SecretError struct {
	// Field is the field of the memory by its key in files: "content", "situation[2]", "metadata.notes".
	Field string
	// Line and Column are the place in the field, from 1, the column in characters.
	Line, Column int
	// Rule names what was found: "github-pat", "password", ...
	Rule string
	// Excerpt is what may be shown: the first characters of a long secret, and the length.
	Excerpt string
	// More counts the other secrets in the memory.
	More int
	// Source is the kind of source that may not store secrets at all; empty if the caller may allow it.
	Source SourceKind
}

func (e *SecretError) Error() string {
	text := fmt.Sprintf("%s: line %d, column %d looks like a secret: %s %s", e.Field, e.Line, e.Column, e.Rule, e.Excerpt)
	if e.More > 0 {
		text += fmt.Sprintf(", and %d more", e.More)
	}
	if e.Source != "" {
		text += fmt.Sprintf("; memories of source %s must not hold any", e.Source)
	}
	return text
}

// Unwrap makes a SecretError an [ErrSecret].
func (e *SecretError) Unwrap() error { return ErrSecret }

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

// AmbiguousError says that a short form of an ID fits several memories. It is an [ErrInvalid].
type AmbiguousError struct {
	// Ref is the short form.
	Ref string
	// Candidates are the memories that it fits, perhaps not all, each as a longer ID and the
	// beginning of its text.
	Candidates [][2]string
}

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q fits several memories; give one of these ids:", e.Ref)
	for _, c := range e.Candidates {
		b.WriteString("\n" + c[0] + "  " + c[1])
	}
	return b.String()
}

// Unwrap makes an AmbiguousError an [ErrInvalid].
func (e *AmbiguousError) Unwrap() error { return ErrInvalid }

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
	CodeSecret      Code = "secret"
	CodeCanceled    Code = "canceled"
	CodeInternal    Code = "internal"
)

// kind is an error with its code.
type kind struct {
	err  error
	code Code
}

// kinds lists the errors in the order in which [CodeOf] looks for them.
func kinds() []kind {
	return []kind{
		{ErrInvalid, CodeInvalid},
		{ErrNotFound, CodeNotFound},
		{ErrForbidden, CodeForbidden},
		{ErrConflict, CodeConflict},
		{ErrUnsupported, CodeUnsupported},
		{ErrReadOnly, CodeReadOnly},
		{ErrFull, CodeFull},
		{ErrSecret, CodeSecret},
		{ErrCorrupt, CodeCorrupt},
		{ErrUnavailable, CodeUnavailable},
		{context.Canceled, CodeCanceled},
		{context.DeadlineExceeded, CodeCanceled},
	}
}

// CodeOf returns the code of err: CodeOK for nil, CodeInternal for an error of
// no known kind.
func CodeOf(err error) Code {
	if err == nil {
		return CodeOK
	}
	for _, k := range kinds() {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	return CodeInternal
}

// ErrorOf returns the error of a code, such as [ErrNotFound]; nil for one without.
func ErrorOf(code Code) error {
	for _, k := range kinds() {
		if k.code == code {
			return k.err
		}
	}
	return nil
}
