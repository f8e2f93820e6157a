package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Start is what a child is to do.
type Start struct {
	Program string
	// Now is the time that time.now returns, in the zone of the user.
	Now time.Time
	// Functions are those that the parent answers.
	Functions []Function
}

// Function is the signature of a function that the parent answers.
type Function struct {
	Name string
	// Params are the names of the parameters, in the order of positional arguments.
	Params []string
	// Aliases maps other names of parameters to their names.
	Aliases map[string]string
}

// Call is a call of a function, with its arguments by the name of the parameter. Those that are None
// are absent.
type Call struct {
	Name string
	Args map[string]json.RawMessage
}

// Reply answers a [Call]. Value is JSON; objects in it are dicts, unless their key "$" says "memory", "code",
// "results" or "struct".
type Reply struct {
	Value json.RawMessage
	// Error fails the program; empty: no error.
	Error string
}

// Outcome is the end of a program.
type Outcome struct {
	// Text is what it printed, and its result for a reader.
	Text string
	// Result is its result as JSON; null if it has none.
	Result json.RawMessage
	// Failure is nil if it succeeded.
	Failure *Failure
}

// Failure says why and where a program failed.
type Failure struct {
	Message string
	// Line and Column are the place in the program, from 1; 0: unknown.
	Line, Column int
	// Source is that line.
	Source string
	// Hint says what to write instead; empty: none.
	Hint string
}

// Error formats the failure for a reader, on several lines.
func (f *Failure) Error() string {
	text := f.Message
	if f.Line > 0 {
		text = fmt.Sprintf("line %d, column %d: %s\n  %s", f.Line, f.Column, f.Message, f.Source)
	}
	if f.Hint != "" {
		text += "\nhint: " + f.Hint
	}
	return text
}

// message is what a child sends: one of the two.
type message struct {
	Call *Call
	Done *Outcome
}

// writeFrame writes a value as JSON, with its length in 4 bytes before it.
func writeFrame(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > maxFrame {
		return fmt.Errorf("a message of %d bytes, at most %d are allowed: ask for less at a time", len(b), maxFrame)
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)) //nolint:gosec // it is below maxFrame
	return err
}

// readFrame reads a value that writeFrame wrote. It allocates no more than what arrives.
func readFrame(r io.Reader, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n > maxFrame {
		return fmt.Errorf("a message of %d bytes, at most %d are allowed", n, maxFrame)
	}
	b, err := io.ReadAll(io.LimitReader(r, n))
	if err != nil {
		return err
	}
	if int64(len(b)) < n {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(b, v)
}
