package wire

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
)

// Error is a failure as JSON: {"error": {...}}.
type Error struct {
	Error ErrorBody `json:"error"`
}

// ErrorBody says what failed.
type ErrorBody struct {
	Code hippo.Code `json:"code"`
	// Field is the argument at fault, by the name that the front end has for it.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// ErrorOf returns an error as JSON, with a hint of the front end; empty for none. What looks like a secret in its
// message is redacted: an error may repeat an argument.
func ErrorOf(err error, hint string) Error {
	body := ErrorBody{Code: hippo.CodeOf(err), Message: err.Error(), Hint: hint}
	if f, ok := errors.AsType[*hippo.FieldError](err); ok {
		body.Field = f.Field
	}
	if s, ok := errors.AsType[*hippo.SecretError](err); ok {
		body.Field = s.Field
	} else {
		body.Message = screen.Redact(body.Message)
	}
	body.Message = bounded(body.Message)
	return Error{body}
}

// maxMessage is the largest length of a message in bytes: an error may repeat an argument, or a key of a file, of any size.
const maxMessage = 8 << 10

// bounded leaves out the middle of a message that is too long.
func bounded(message string) string {
	const part = maxMessage / 2
	if len(message) <= maxMessage {
		return message
	}
	begin, end := strings.ToValidUTF8(message[:part], ""), strings.ToValidUTF8(message[len(message)-part:], "")
	return fmt.Sprintf("%s … (%d bytes left out) … %s", begin, len(message)-len(begin)-len(end), end)
}
