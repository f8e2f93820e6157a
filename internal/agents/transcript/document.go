package transcript

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// peeked is how much of the beginning decides whether an input is a document.
const peeked = 64 << 10

// isDocument reports whether an input is one JSON document: an object whose first line does not
// end it, or that has messages. It does not advance a [bufio.Reader] whose buffer is as large as
// peeked; another reader it reads.
func isDocument(r io.Reader) bool {
	b, ok := r.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(r, peeked)
	}
	head, _ := b.Peek(peeked)
	head = bytes.TrimLeft(head, " \t\r\n\ufeff")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	line, rest, ended := bytes.Cut(head, []byte("\n"))
	if r, ok := decoded[record](line); ok {
		return r.has("messages") && (r.has("info") || r.has("sessionId"))
	}
	if ended {
		rest = bytes.TrimSpace(rest)
		return len(rest) == 0 || rest[0] == '"' // another line of the object; else the line is damaged
	}
	return firstKey(line) == "info" // a long line: only documents of opencode begin so
}

// firstKey returns the first key of an object.
func firstKey(object []byte) string {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token()
	key, _ := d.Token()
	s, _ := key.(string)
	return s
}

// readDocument reads a document: its keys in any order, its messages one at a time.
func readDocument(ctx context.Context, r io.Reader, client Client) (*Transcript, error) {
	limited := &io.LimitedReader{R: r, N: MaxDocument + 1}
	x := document{decoder: json.NewDecoder(limited), talk: newConversation()}
	x.out.Document, x.out.Client = true, client
	err := x.read(ctx)
	if limited.N <= 0 {
		err = ErrTooLarge
	}
	x.out.End, x.out.Turns, x.out.Session = MaxDocument+1-limited.N, x.talk.turns, x.talk.session
	return &x.out, err
}

// document decodes one document.
type document struct {
	decoder *json.Decoder
	talk    *conversation
	header  record
	out     Transcript
}

func (x *document) read(ctx context.Context) error {
	if _, err := x.decoder.Token(); err != nil { // the brace
		return fmt.Errorf("%w: %w", ErrUnknownFormat, err)
	}
	x.header = record{}
	for x.decoder.More() {
		key, err := x.decoder.Token()
		if err != nil {
			return malformed(err)
		}
		if key == "messages" {
			err = x.messages(ctx)
		} else {
			var value json.RawMessage
			err = x.decoder.Decode(&value)
			if name, ok := key.(string); ok {
				x.header[name] = value
			}
		}
		if err != nil {
			return malformed(err)
		}
	}
	return nil
}

// messages adds the header, as far as it was read, and each message.
func (x *document) messages(ctx context.Context) error {
	if open, err := x.decoder.Token(); err != nil || open != json.Delim('[') {
		return errors.Join(err, ErrUnknownFormat)
	}
	a, ok := recognise(x.header)
	if x.out.Client != "" {
		known, err := adapterOf(x.out.Client)
		if err != nil {
			return err
		}
		a, ok = known, true
	}
	if ok {
		_ = a.add(x.talk, x.header) // the session; without one the messages remain
	}
	for x.decoder.More() {
		if err := ctx.Err(); err != nil {
			return err
		}
		var r record
		if err := x.decoder.Decode(&r); err != nil {
			if _, shape := errors.AsType[*json.UnmarshalTypeError](err); !shape {
				return err
			}
			x.out.Malformed++
			continue
		}
		x.talk.line++
		x.talk.at++
		if !ok {
			if a, ok = recognise(r); !ok {
				return ErrUnknownFormat
			}
		}
		x.out.Client = a.client
		if a.add(x.talk, r) != nil {
			x.out.Malformed++
		}
	}
	_, err := x.decoder.Token() // the bracket
	return err
}

// malformed describes a document that ends early or is no JSON.
func malformed(err error) error {
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the document is not complete JSON: %w", err)
	}
	return err
}
