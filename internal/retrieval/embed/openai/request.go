package openai

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/endpoint"
)

const (
	// maxAnswer and maxVector bound the bytes that are read of an answer: 8,192 numbers of
	// 25 characters, and the white space around them, for each vector.
	maxAnswer = 1 << 20
	maxVector = 256 << 10
)

func isRefusal(err error) bool {
	f, ok := errors.AsType[*endpoint.Fault](err)
	return ok && f.Refusal
}

// post returns the vectors of texts, which it sends in one request.
func (c *Client) post(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := c.server.Post(ctx, requestTimeout, struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{c.name, texts}, int64(maxAnswer+maxVector*len(texts)))
	if err != nil {
		return nil, err
	}
	vectors, err := decode(answer, len(texts), int(c.dimension.Load()))
	if err != nil {
		return nil, c.server.Fault(hippo.ErrUnsupported, "model "+c.name, err.Error())
	}
	return vectors, nil
}

// vector is a JSON list of numbers, or the base64 of 32-bit floats, little endian, which some
// gateways send unasked. Unlike a slice it does not read null as 0: some servers write NaN so.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		var packed []byte
		if err := json.Unmarshal(data, &packed); err != nil {
			return err
		}
		if len(packed)%4 != 0 {
			return fmt.Errorf("a vector has %d bytes, which is no number of 32-bit floats", len(packed))
		}
		*v = make(vector, len(packed)/4)
		for i := range *v {
			(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
		}
		return nil
	}
	if bytes.Contains(data, []byte("null")) {
		return errors.New("a vector has a number that is null")
	}
	return json.Unmarshal(data, (*[]float32)(v))
}

// decode returns the n vectors of an answer in the order of the texts, each of length 1
// and of this dimension; 0 means any, but the same for all.
func decode(answer []byte, n, dimension int) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding vector `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("the answer is not a list of embeddings (%w): %s", err, answer)
	}
	if len(a.Data) != n { // gateways send errors with status 200
		return nil, fmt.Errorf("got %d vectors for %d texts: %s", len(a.Data), n, endpoint.Explanation(answer))
	}
	out := make([][]float32, n)
	for i, d := range a.Data {
		if d.Index != nil {
			i = *d.Index
		} else if n > 1 {
			return nil, errors.New("a vector without index")
		}
		if i < 0 || i >= n || out[i] != nil {
			return nil, fmt.Errorf("index %d of a vector is out of range or repeated, for %d texts", i, n)
		}
		if dimension == 0 {
			dimension = len(d.Embedding)
		}
		if len(d.Embedding) != dimension || dimension == 0 {
			return nil, fmt.Errorf("vector %d has %d dimensions, want %d", i, len(d.Embedding), dimension)
		}
		if !normalize(d.Embedding) {
			return nil, fmt.Errorf("vector %d is all zero or overflows", i)
		}
		out[i] = d.Embedding
	}
	return out, nil
}

// normalize scales v to length 1, and reports whether it can.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
