//go:build linux

package hub

import (
	"crypto/sha256"
	"errors"
	"os"
	"testing"

	"github.com/hippo-memory/hippo"
)

// TestFull writes to a device that is always full.
func TestFull(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	p := &part{file: full, sum: sha256.New()}
	if _, err := p.Write([]byte("x")); !errors.Is(err, hippo.ErrFull) {
		t.Errorf("Write: %v, want full", err)
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
}
