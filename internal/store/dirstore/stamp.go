package dirstore

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"time"
)

// stamp is compared to find out whether a file may have been changed.
type stamp struct {
	size  int64
	mtime int64 // Unix nanoseconds
	// changed is when content, name or attributes changed last, and inode the number of
	// the file; 0 where the system has none.
	changed, inode int64
}

func stampOf(i fs.FileInfo) stamp {
	s := stamp{size: i.Size(), mtime: i.ModTime().UnixNano()}
	s.identify(i)
	return s
}

// granule bounds the time that passes before a file system gives a change another time.
const granule = 50 * time.Millisecond

// recent reports whether the file may be changed after this moment without any change of
// its stamp, because the clock of the file system has not moved on since its last change.
// Some file systems count in steps of two seconds.
func (s stamp) recent(now time.Time) bool {
	g := granule
	if s.mtime%int64(time.Second) == 0 {
		g = 2 * time.Second
	}
	return s.last() >= now.Add(-g).UnixNano()
}

// last is when the file was changed last.
func (s stamp) last() int64 { return max(s.mtime, s.changed) }

// hash is a number for a file with this stamp. The sum of those of all files stands for the
// state of a directory.
func (s stamp) hash(name string) int64 {
	b := make([]byte, 0, 96)
	for _, n := range []int64{s.size, s.mtime, s.changed, s.inode} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	sum := sha256.Sum256(append(b, name...))
	return int64(binary.LittleEndian.Uint64(sum[:]))
}
