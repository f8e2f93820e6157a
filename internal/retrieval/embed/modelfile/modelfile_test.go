package modelfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
)

func format() modelfile.Format {
	return modelfile.Format{Magic: "MODEL", Version: 2, Name: "tiny model"}
}

func crc(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// file returns a file with a header and what comes after it, from byte 64 on.
func file(header, body string) []byte {
	out := binary.LittleEndian.AppendUint32([]byte("MODEL"), 2)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	out = binary.LittleEndian.AppendUint32(out, crc([]byte(header)))
	out = append(out, header...)
	return append(append(out, make([]byte, 64-len(out))...), body...)
}

func TestFormat_Header(t *testing.T) {
	t.Parallel()
	good := file(`{"id":"x"}`, "")
	patched := func(at int, b byte) []byte {
		out := bytes.Clone(good)
		out[at] = b
		return out
	}
	for _, c := range []struct {
		name string
		data []byte
		is   error
		says string
	}{
		{"nothing", nil, hippo.ErrCorrupt, "not a tiny model"},
		{"magic", patched(0, 'm'), hippo.ErrCorrupt, "not a tiny model"},
		{"cut preamble", good[:16], hippo.ErrCorrupt, "not a tiny model"},
		{"version", patched(5, 3), hippo.ErrUnsupported, "tiny model of format 3, this program reads 2"},
		{"length", patched(11, 1), hippo.ErrCorrupt, "header of 65546 bytes, at most 4096"},
		{"beyond the file", patched(9, 200), hippo.ErrCorrupt, "header of 200 bytes"},
		{"checksum", patched(20, '!'), hippo.ErrCorrupt, "header has a wrong checksum"},
		{"no JSON", file("{", ""), hippo.ErrCorrupt, "header: unexpected end"},
	} {
		var h struct{ ID string }
		if _, err := format().Header(c.data, &h); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.is, c.says)
		}
	}
	var h struct{ ID string }
	if body, err := format().Header(good, &h); err != nil || h.ID != "x" || body != 17+10 {
		t.Errorf("header %+v, body at %d (%v)", h, body, err)
	}
}

func TestFormat_Sections(t *testing.T) {
	t.Parallel()
	data := file("{}", "abc"+strings.Repeat("\x00", 61)+"defg")
	var first, empty, second []byte
	sections := func(size int) []modelfile.Section {
		return []modelfile.Section{{Name: "first", To: &first, Size: 3}, {Name: "empty", To: &empty}, {Name: "second", To: &second, Size: size}}
	}
	if err := format().Sections(data, 19, sections(4)); err != nil || string(first) != "abc" || len(empty) != 0 || string(second) != "defg" {
		t.Errorf("%q, %q, %q (%v)", first, empty, second, err)
	}
	if cap(first) != 3 {
		t.Error("a section may be appended to, over the next one")
	}
	for size, says := range map[int]string{5: "tiny model: section second is cut short", -1: "section second is cut short", 3: "1 bytes after its end"} {
		if err := format().Sections(data, 19, sections(size)); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), says) {
			t.Errorf("size %d: %v, want %q", size, err, says)
		}
	}
}

func TestFormat_Verify(t *testing.T) {
	t.Parallel()
	body := []byte("weights")
	if err := format().Verify(body, crc(body)); err != nil {
		t.Error(err)
	}
	if err := format().Verify(body, crc(body)+1); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), "tiny model: checksum") {
		t.Errorf("got %v, want a damaged model", err)
	}
}
