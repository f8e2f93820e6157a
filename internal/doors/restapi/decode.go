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
)

// maxBody is the maximum size in bytes of a JSON body. The largest valid memory fits with every character
// escaped.
const maxBody = 4 << 20

// decode reads the parameters and the body of a request into fields. Every error names what is wrong:
// unknown parameters and fields, values of another type, what is given twice, text that is not UTF-8.
func decode(w http.ResponseWriter, r *http.Request, fields []field) error {
	var body, query []field
	for _, f := range fields {
		switch f.in {
		case inQuery:
			query = append(query, f)
		case inBody:
			body = append(body, f)
		case inPath, inHeader:
			text := r.PathValue(f.name)
			if f.in == inHeader {
				values := r.Header.Values(f.name)
				if len(values) > 1 {
					return hippo.Fieldf(f.name, "must be given once, got %d", len(values))
				}
				text = r.Header.Get(f.name)
			}
			switch blank := strings.TrimSpace(text) == ""; {
			case blank && f.required:
				return hippo.Required(f.name)
			case blank:
				continue
			}
			if err := f.setText(text); err != nil {
				return err
			}
		}
	}
	if err := decodeQuery(r.URL.RawQuery, query); err != nil {
		return err
	}
	if body == nil {
		return nil
	}
	return decodeBody(w, r, body)
}

// decodeQuery reads the query of a URL.
func decodeQuery(raw string, fields []field) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return hippo.Fieldf("query", "is malformed: %v", err)
	}
	given := make(map[string]json.RawMessage, len(values))
	for name, list := range values {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			given[name] = nil // reported as unknown
			continue
		}
		t := typeOf(fields[i].to)
		if len(list) > 1 && !t.list {
			return hippo.Fieldf(name, "must be given once, got %d", len(list))
		}
		for _, text := range list {
			if !utf8.ValidString(text) {
				return hippo.Fieldf(name, "must be valid UTF-8")
			}
		}
		if given[name], err = fields[i].json(t, list); err != nil {
			return err
		}
	}
	return decodeGiven("", given, fields)
}

// json returns texts of a URL as JSON.
func (f *field) json(t jsonType, texts []string) (json.RawMessage, error) {
	switch {
	case t.list:
		return json.Marshal(texts)
	case strings.TrimSpace(texts[0]) == "":
		return json.RawMessage("null"), nil
	case t.quoted:
		return json.Marshal(texts[0])
	case !json.Valid([]byte(texts[0])):
		return nil, hippo.Fieldf(f.name, "must be %s, got %.40q", t.name, texts[0])
	default:
		return json.RawMessage(texts[0]), nil
	}
}

// setText sets a field to a text of the path or of a header.
func (f *field) setText(text string) error {
	if !utf8.ValidString(text) {
		return hippo.Fieldf(f.name, "must be valid UTF-8")
	}
	raw, err := f.json(typeOf(f.to), []string{text})
	if err != nil {
		return err
	}
	return f.set("", raw)
}

// decodeBody reads a JSON object.
func decodeBody(w http.ResponseWriter, r *http.Request, fields []field) error {
	if err := contentType(r, "application/json"); err != nil {
		return err
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return unread(err)
	}
	if !json.Valid(raw) {
		var v any
		return hippo.Fieldf("body", "must be a JSON object: %v", json.Unmarshal(raw, &v))
	}
	if err := wire.CheckUTF8("text", raw); err != nil {
		return hippo.Fieldf("body", "must be valid UTF-8: %v", err)
	}
	if key, depth := wire.RepeatedKey(raw); depth > 0 {
		return hippo.Fieldf(clip(key), "is given twice in one object")
	}
	if kind := kindOf(raw); kind != "an object" {
		return hippo.Fieldf("body", "must be an object, got %s", kind)
	}
	return decodeObject("", raw, fields)
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
