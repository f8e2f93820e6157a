package modelfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// mapFile maps a file of some pages for reading, and for writing to memory if writable.
func mapFile(t *testing.T, content []byte, writable bool) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	rights := unix.PROT_READ
	if writable {
		rights |= unix.PROT_WRITE
	}
	b, err := unix.Mmap(int(f.Fd()), 0, len(content), rights, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

// inMemory reports how many bytes of the whole pages of b this process has in memory.
func inMemory(t *testing.T, b []byte) (n int) {
	t.Helper()
	pages, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close() //nolint:errcheck // it is only read
	size := os.Getpagesize()
	entry := make([]byte, 8)
	for at := 0; at < len(b); at += size {
		if _, err := pages.ReadAt(entry, int64(address(b[at:]))/int64(size)*8); err != nil {
			t.Fatal(err)
		}
		if entry[7]&0x80 != 0 {
			n += size
		}
	}
	return n
}

func TestEvictor(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte{1, 2, 3, 5}, 16*os.Getpagesize()/4)
	b := mapFile(t, content, false)
	evict := Evictor(b)
	for range 2 {
		if !bytes.Equal(b, content) {
			t.Fatal("the bytes have changed")
		}
		if n := inMemory(t, b); n != len(b) {
			t.Errorf("%d bytes in memory after they were read, want %d", n, len(b))
		}
		evict()
		if n := inMemory(t, b); n != 0 {
			t.Errorf("%d bytes in memory after they were evicted", n)
		}
	}
}

// What was written to memory only would be lost, so it stays.
func TestEvictor_writable(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte{7}, 8*os.Getpagesize())
	heap := bytes.Clone(content)
	mapping := mapFile(t, make([]byte, len(content)), true)
	copy(mapping, content)
	for name, b := range map[string][]byte{"heap": heap, "mapping": mapping, "nothing": nil, "within a page": heap[:10]} {
		Evictor(b)()
		if !bytes.Equal(b, content[:len(b)]) {
			t.Errorf("%s: the bytes have changed", name)
		}
	}
}

// Only whole pages are evicted: another mapping may begin in the last one.
func TestWholePages(t *testing.T) {
	t.Parallel()
	size := os.Getpagesize()
	b := mapFile(t, make([]byte, 4*size), false)
	for _, c := range []struct{ from, to, first, n int }{
		{0, 4, 0, 4}, {1, 4, 1, 3}, {0, 3, 0, 3}, {2, 3, 2, 1},
	} {
		for name, part := range map[string][]byte{
			"pages":    b[c.from*size : c.to*size],
			"and more": b[max(0, c.from*size-5):min(4*size, c.to*size+5)],
		} {
			got := wholePages(part)
			if len(got) != c.n*size || address(got) != address(b)+uintptr(c.first*size) {
				t.Errorf("%s %d to %d: %d bytes from %d", name, c.from, c.to, len(got), address(got)-address(b))
			}
		}
	}
	for _, part := range [][]byte{nil, b[:size-1], b[1 : 2*size-1]} {
		if got := wholePages(part); len(got) != 0 {
			t.Errorf("%d bytes: %d in whole pages", len(part), len(got))
		}
	}
}

func TestMapped(t *testing.T) {
	t.Parallel()
	b := mapFile(t, make([]byte, 2*os.Getpagesize()), false)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if !mapped(string(maps), b) {
		t.Error("a mapping for reading does not count as one")
	}
	for name, text := range map[string]string{"nothing": "", "malformed": "mapping\n"} {
		if mapped(text, b) {
			t.Errorf("%s: counts as a mapping", name)
		}
	}
}
