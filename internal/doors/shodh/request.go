package shodh

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// maxBody is the limit of a body, in bytes: a content and metadata of the largest size with most of
// their characters escaped.
const maxBody = 4 << 20

// read returns the arguments of a request, and what it has beyond them.
func (op *operation) read(w http.ResponseWriter, r *http.Request) (args, object, error) {
	if op.params == nil {
		return nil, nil, nil
	}
	var given object
	var err error
	if strings.HasPrefix(op.pattern, http.MethodGet+" ") {
		given, err = queryOf(r.URL, op.params)
	} else {
		given, err = bodyOf(w, r)
	}
	if err != nil {
		return nil, nil, err
	}
	a, unknown, err := decode(given, op.params)
	if err == nil && op.strict && len(unknown) > 0 {
		err = unknownError(unknown, op.params)
	}
	return a, unknown, err
}

// unknownError is the error for the first of the members that an operation does not have.
func unknownError(unknown object, params []param) error {
	names := make([]string, 0, len(unknown))
	for name := range unknown {
		names = append(names, name)
	}
	known := make([]string, len(params))
	for i := range params {
		known[i] = params[i].name
	}
	name := []rune(slices.Min(names))
	return hippo.Fieldf(string(name[:min(len(name), 60)]), "is unknown here; nothing was changed; known are %s", strings.Join(known, ", "))
}

// bodyOf reads the JSON object in a body.
func bodyOf(w http.ResponseWriter, r *http.Request) (object, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, large
		}
		return nil, hippo.Fieldf("body", "could not be read to its end: %v", err)
	}
	var given object
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&given); err != nil || given == nil {
		return nil, hippo.Fieldf("body", "must be a JSON object, got %s", excerpt(raw[:min(len(raw), 200)]))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, hippo.Fieldf("body", "must be one JSON object, and nothing after it")
	}
	if err := wire.CheckUTF8("it", raw); err != nil {
		return nil, hippo.Fieldf("body", "%v", err)
	}
	if key, depth := wire.RepeatedKey(raw); depth > 0 {
		return nil, hippo.Fieldf("body", "must not have the key %.60q twice in one object", key)
	}
	return given, nil
}

// queryOf returns the parameters in the query of a URL as if they were in a body. A parameter
// without a value is not given.
func queryOf(u *url.URL, params []param) (object, error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, hippo.Fieldf("query", "must be a list such as limit=20&offset=0: %v", err)
	}
	given := make(object)
	for i := range params {
		p := &params[i]
		for _, name := range append([]string{p.name}, p.aliases...) {
			v := values.Get(name)
			switch {
			case v == "":
			case p.kind == whole && json.Valid([]byte(v)):
				given[name] = json.RawMessage(v)
			default:
				given[name], _ = json.Marshal(v) // a text always marshals
			}
		}
	}
	return given, nil
}
