package sqlitestore

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

func TestPacked_round_trip(t *testing.T) {
	t.Parallel()
	var p packer
	var u unpacker
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOf(rapid.Byte()).Draw(t, "line")
		packed, err := p.pack(line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.unpack(packed)
		if err != nil || !bytes.Equal(got, line) {
			t.Fatalf("got %q, %v, want %q", got, err, line)
		}
	})
}

func TestPacked_damaged(t *testing.T) {
	t.Parallel()
	var p packer
	var u unpacker
	for name, line := range map[string]string{"cut": strings.Repeat("a note ", 50), "long": strings.Repeat("x", entry.MaxLine+1)} {
		packed, err := p.pack([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if name == "cut" {
			packed = packed[:len(packed)-3]
		}
		if _, err := u.unpack(packed); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	packed, err := p.pack([]byte("sound"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := u.unpack(packed); err != nil || string(got) != "sound" {
		t.Errorf("after damage: %q, %v", got, err)
	}
}
