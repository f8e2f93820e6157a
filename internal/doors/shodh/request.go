package shodh

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// maxBody is the limit of a body, in bytes: a content and metadata of the largest size with most of
// their characters escaped.
const maxBody = 4 << 20

// read reads the arguments of a request, and returns them with what was said of each.
func (op *operation) read(w http.ResponseWriter, r *http.Request, c *call) (args []verb.Arg, err error) {
	if op.params == nil {
		return nil, nil
	}
	if strings.HasPrefix(op.pattern, http.MethodGet+" ") {
		c.unknown, err = queryOf(r.URL, op.params)
	} else {
		c.unknown, err = bodyOf(w, r)
	}
	if err != nil {
		return nil, err
	}
	if c.Input, args, err = op.params.Take(verb.SHODH, c.unknown); err == nil && op.strict {
		err = verb.Unknown(verb.SHODH, "", c.unknown, op.params)
		if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
			err = hippo.Fieldf(bad.Field, "%s; nothing was changed", bad.Why)
		}
	}
	return args, err
}

// bodyOf reads the JSON object in a body.
func bodyOf(w http.ResponseWriter, r *http.Request) (map[string]json.RawMessage, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, large
		}
		return nil, hippo.Fieldf("body", "could not be read to its end: %v", err)
	}
	return wire.Members(raw)
}

// queryOf returns the parameters in the query of a URL as if they were in a body. A parameter
// without a value is not given.
func queryOf(u *url.URL, params verb.Table) (map[string]json.RawMessage, error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, hippo.Fieldf("query", "must be a list such as limit=20&offset=0: %v", err)
	}
	given := make(map[string]json.RawMessage)
	for i := range params {
		p := &params[i]
		for _, name := range append(strings.Fields(p.Also), p.Name) {
			if v := values.Get(name); v != "" {
				given[name] = p.JSON(v)
			}
		}
	}
	return given, nil
}
