package restapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// maxBody is the maximum size in bytes of a JSON body. The largest valid memory fits with every character
// escaped.
const maxBody = 4 << 20

// place is where an argument of a request is.
type place string

const (
	inBody   place = ""
	inQuery  place = "query"
	inPath   place = "path"
	inHeader place = "header"
)

// place returns where an argument is: in the path if that names it, in a header if it has the name of one, else in the body, if the method has one.
func (op *operation) place(name string) place {
	switch {
	case strings.Contains(op.path, "{"+name+"}"):
		return inPath
	case strings.Contains(name, "-"):
		return inHeader
	case op.method == http.MethodGet || op.method == http.MethodDelete || op.body != "":
		return inQuery
	default:
		return inBody
	}
}

// decode reads the parameters and the body of a request. Every error names what is wrong: unknown parameters and fields, values of another type,
// what is given twice, text that is not UTF-8.
func (op *operation) decode(w http.ResponseWriter, r *http.Request, args []verb.Arg) error {
	given := make(map[string]json.RawMessage)
	var query []verb.Arg
	body := false
	for i := range args {
		name := args[i].NameAt(verb.REST)
		if name == "" {
			continue
		}
		switch op.place(name) {
		case inPath:
			given[name] = args[i].JSON(r.PathValue(name))
		case inHeader:
			values := r.Header.Values(name)
			if len(values) > 1 {
				return hippo.Fieldf(name, "must be given once, got %d", len(values))
			}
			given[name] = args[i].JSON(r.Header.Get(name))
		case inQuery:
			query = append(query, args[i])
		case inBody:
			body = true
		}
		if !utf8.ValidString(r.PathValue(name) + r.Header.Get(name)) {
			return hippo.Fieldf(name, "must be valid UTF-8")
		}
	}
	if err := readQuery(r.URL.RawQuery, query, given); err != nil {
		return err
	}
	if body {
		if err := op.readBody(w, r, given); err != nil {
			return err
		}
	}
	return verb.DecodeMembers(verb.REST, given, args)
}

// readQuery adds the query of a URL.
func readQuery(raw string, args []verb.Arg, to map[string]json.RawMessage) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return hippo.Fieldf("query", "is malformed: %v", err)
	}
	for name, texts := range values {
		i := slices.IndexFunc(args, func(a verb.Arg) bool { return a.NameAt(verb.REST) == name })
		if i < 0 {
			return verb.Unknown(verb.REST, "", map[string]bool{name: true}, args)
		}
		if len(texts) > 1 && args[i].Schema()["type"] != "array" {
			return hippo.Fieldf(name, "must be given once, got %d", len(texts))
		}
		if !utf8.ValidString(strings.Join(texts, "")) {
			return hippo.Fieldf(name, "must be valid UTF-8")
		}
		to[name] = args[i].JSON(texts...)
	}
	return nil
}

// readBody adds the members of a JSON object.
func (op *operation) readBody(w http.ResponseWriter, r *http.Request, to map[string]json.RawMessage) error {
	if err := contentType(r, "application/json"); err != nil {
		return err
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return unread(err)
	}
	members, err := wire.Members(raw)
	if err != nil {
		return err
	}
	for name, value := range members {
		if op.place(name) != inBody { // not there
			return verb.Unknown(verb.REST, "", map[string]bool{name: true}, op.input().Args())
		}
		to[name] = value
	}
	return nil
}

// contentType reports a body of another type.
func contentType(r *http.Request, want string) error {
	got, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, given := params["charset"]
	if err == nil && got == want && (!given || charset == "utf-8" || charset == "UTF-8") {
		return nil
	}
	return &statusError{http.StatusUnsupportedMediaType, hippo.Fieldf("Content-Type", "must be %s, got %.60q", want, r.Header.Get("Content-Type"))}
}

// unread returns the error for a body that cannot be read.
func unread(err error) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &statusError{http.StatusRequestEntityTooLarge, hippo.Fieldf("body", "must be at most %d bytes", large.Limit)}
	}
	return fmt.Errorf("%w: the body ended early: %w", hippo.ErrInvalid, err)
}
