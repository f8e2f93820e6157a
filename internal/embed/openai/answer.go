package openai

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var (
	errNotJSON  = errors.New("the answer is not JSON")
	errNoVector = errors.New("want a list of numbers or a base64 text")
)

// answer is what a server sends.
type answer struct {
	Data []struct {
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
	// Error is set by gateways that send errors with status 200.
	Error json.RawMessage `json:"error"`
}

// vector is read from a JSON list of numbers, or from base64 of little-endian
// float32. Unlike a plain slice it takes null for a number for the error it is:
// some servers write NaN so.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(data []byte) error {
	s := strings.TrimSpace(string(data))
	switch {
	case strings.HasPrefix(s, `"`):
		return v.fromBase64(data)
	case s == "[]":
		return errors.New("the vector is empty")
	case strings.HasPrefix(s, "["):
		return v.fromList(s[1 : len(s)-1])
	default:
		return errNoVector
	}
}

func (v *vector) fromBase64(data []byte) error {
	var raw []byte // which encoding/json reads from base64
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("%w: %w", errNoVector, err)
	}
	if len(raw) == 0 || len(raw)%4 != 0 {
		return fmt.Errorf("a vector of %d bytes: %w", len(raw), errNoVector)
	}
	*v = make(vector, len(raw)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}

func (v *vector) fromList(s string) error {
	*v = make(vector, 0, 1+strings.Count(s, ","))
	for number := range strings.SplitSeq(s, ",") {
		number = strings.TrimSpace(number)
		x, err := strconv.ParseFloat(number, 32)
		if err != nil {
			return fmt.Errorf("item %d of the vector is no number or too large a one", len(*v))
		}
		*v = append(*v, float32(x))
	}
	return nil
}

// decode returns the n vectors of an answer in the order of the texts, each of
// length 1 and of dimension numbers, or, if that is 0, all of as many. An error
// says what is wrong; it is errNotJSON if data is of another kind altogether.
func decode(data []byte, n, dimension int) ([][]float32, error) {
	var a answer
	if !json.Valid(data) {
		return nil, errNotJSON
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("the answer has another shape: %w", err)
	}
	if len(a.Data) == 0 && len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, fmt.Errorf("an error with status 200: %s", parseFault(data).text)
	}
	if len(a.Data) != n {
		return nil, fmt.Errorf("got %d vectors for %d texts", len(a.Data), n)
	}
	out := make([][]float32, n)
	for _, d := range a.Data {
		at := 0
		switch {
		case d.Index != nil:
			at = *d.Index
		case n > 1:
			return nil, errors.New("a vector without index")
		}
		if at < 0 || at >= n {
			return nil, fmt.Errorf("a vector of index %d for %d texts", at, n)
		}
		if out[at] != nil {
			return nil, fmt.Errorf("two vectors of index %d", at)
		}
		if dimension == 0 {
			dimension = len(d.Embedding)
		}
		if len(d.Embedding) != dimension || dimension == 0 {
			return nil, fmt.Errorf("vector %d has %d dimensions, want %d", at, len(d.Embedding), dimension)
		}
		if err := normalize(d.Embedding); err != nil {
			return nil, fmt.Errorf("vector %d %w", at, err)
		}
		out[at] = d.Embedding
	}
	return out, nil
}

// normalize makes the length of v 1.
func normalize(v []float32) error {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return errors.New("has a number that is not finite")
	case sum == 0:
		return errors.New("is all zero")
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}
