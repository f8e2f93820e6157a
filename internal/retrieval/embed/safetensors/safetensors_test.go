package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

// pack makes a file of a header and that many bytes of numbers.
func pack(header string, numbers int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range numbers {
		b = append(b, byte(i))
	}
	return b
}

func TestRead(t *testing.T) {
	t.Parallel()
	file := pack(`{"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,1],"data_offsets":[8,12]},`+
		`"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"s":{"dtype":"I64","shape":[],"data_offsets":[12,20]}}  `, 20)
	w, err := Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	base := int64(len(file) - 20)
	want := map[string]Tensor{
		"a": {kind: "F32", shape: []int{2}, at: base, size: 8},
		"b": {kind: "BF16", shape: []int{2, 1}, at: base + 8, size: 4},
		"s": {kind: "I64", at: base + 12, size: 8},
	}
	if d := cmp.Diff(want, w.tensors, cmp.AllowUnexported(Tensor{})); d != "" {
		t.Error(d)
	}
	if _, err := w.Find("s"); !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), `"s": dtype I64`) {
		t.Errorf("got %v, want %v for a tensor of integers", err, hippo.ErrUnsupported)
	}
}

func TestRead_corrupt(t *testing.T) {
	t.Parallel()
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for _, c := range []struct{ name, header, want string }{
		{"no_object", `[]`, "not a JSON object"},
		{"no_JSON", `{"a"`, `"a": EOF`},
		{"cut", `{` + a, "header"},
		{"more", `{` + a + `} {}`, "goes on"},
		{"twice", `{` + a + `,` + a + `}`, `"a" is there twice`},
		{"metadata_numbers", `{"__metadata__":{"a":1},` + a + `}`, "__metadata__"},
		{"unknown_dtype", `{"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}}`, `"a": unknown dtype "F31"`},
		{"wrong_size", `{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, `"a": shape [3] of F32 takes 12 bytes`},
		{"negative_shape", `{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, `"a": shape [-2]`},
		{"overflowing_shape", `{"a":{"dtype":"F32","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,8]}}`, `"a": shape`},
		{"no_shape", `{"a":{"dtype":"F32","data_offsets":[0,8]}}`, `"a": shape`},
		{"no_place", `{"a":{"dtype":"F32","shape":[2]}}`, `"a": shape [2], data_offsets []`},
		{"backwards", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, `"a": shape`},
		{"far_away", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[9223372036854775799,9223372036854775807]}}`, `"a": shape`},
		{"after_the_end", `{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}`, `"a" ends at byte 16 of 8`},
		{"gap", `{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, `"a" begins at byte 4, but the one before ends at 0`},
		{"overlap", `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F16","shape":[3],"data_offsets":[2,8]}}`, `"b" begins at byte 2`},
		{"rest", `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "4 bytes belong to no tensor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := pack(c.header, 8)
			_, err := Read(bytes.NewReader(file), int64(len(file)))
			if !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %v with %q", err, hippo.ErrCorrupt, c.want)
			}
		})
	}
}

func TestRead_short(t *testing.T) {
	t.Parallel()
	file := pack(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8)
	for n := range file {
		if _, err := Read(bytes.NewReader(file[:n]), int64(n)); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("%d of %d bytes: got %v, want %v", n, len(file), err, hippo.ErrCorrupt)
		}
	}
	file[6] = 1
	if _, err := Read(bytes.NewReader(file), int64(len(file))); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("header of 2^48 bytes: got %v, want %v", err, hippo.ErrCorrupt)
	}
}

func TestFile_Append(t *testing.T) {
	t.Parallel()
	numbers := []byte{
		0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0, // F32: 1.5, -2
		0xc0, 0x3f, 0, 0xc0, // BF16: 1.5, -2
		0, 0x3e, 0, 0xc0, 1, 0, 0, 0x80, // F16: 1.5, -2, the least above 0, -0
		0, 0x7c, // F16: infinity
	}
	file := append(pack(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},`+
		`"c":{"dtype":"F16","shape":[4],"data_offsets":[12,20]},"d":{"dtype":"F16","shape":[1],"data_offsets":[20,22]}}`, 0), numbers...)
	w, err := Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float32{"a": {7, 1.5, -2}, "b": {7, 1.5, -2}, "c": {7, 1.5, -2, 1. / (1 << 24), 0}} {
		got, err := w.Append([]float32{7}, name, len(want)-1)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if _, err := w.Append(nil, "d", 1); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), `"d": number 0 is +Inf`) {
		t.Errorf("got %v, want %v for infinity", err, hippo.ErrCorrupt)
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add([]byte(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`), int64(8))
	f.Add([]byte(`{"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]},"b":{"dtype":"I8","shape":[],"data_offsets":[8,9]}}  `), int64(9))
	f.Add([]byte(`{}`), int64(0))
	f.Fuzz(func(t *testing.T, header []byte, numbers int64) {
		if numbers < 0 || numbers > 1<<40 {
			return
		}
		tensors, err := parseHeader(header, numbers)
		if err != nil {
			if !errors.Is(err, hippo.ErrCorrupt) {
				t.Fatalf("got %v, want %v", err, hippo.ErrCorrupt)
			}
			return
		}
		base, sum := int64(len(header))+8, int64(0)
		for name, x := range tensors {
			if x.at < base || x.size < 0 || x.at+x.size > base+numbers {
				t.Errorf("tensor %q: %d bytes at %d, the numbers are %d at %d", name, x.size, x.at, numbers, base)
			}
			n := width(x.kind)
			for _, k := range x.shape {
				n *= int64(k)
			}
			if n != x.size {
				t.Errorf("tensor %q: shape %v of %s in %d bytes", name, x.shape, x.kind, x.size)
			}
			sum += x.size
		}
		if sum != numbers {
			t.Errorf("tensors take %d of %d bytes", sum, numbers)
		}
	})
}
