package dirstore

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"time"
)

// stamp identifies the state of a file: if it is unchanged the content is, mostly; see recent.
type stamp struct {
	size  int64
	mtime int64 // Unix nanoseconds
	// changed is the inode change time in Unix nanoseconds, and inode the number of the
	// inode; 0 on systems without them.
	changed, inode int64
}

func stampOf(i fs.FileInfo) stamp {
	s := stamp{size: i.Size(), mtime: i.ModTime().UnixNano()}
	s.identify(i)
	return s
}

// resolution is the maximum resolution of file times. Linux stamps files with the time of the
// last timer tick, at most 10 ms ago; the rest is a margin.
const resolution = 50 * time.Millisecond

// recent reports whether the file may be changed after now without a change of its stamp, because
// its last change is within the resolution of file times. That is 2 s on FAT, which is
// recognized by times in whole seconds.
func (s stamp) recent(now time.Time) bool {
	g := resolution
	if s.mtime%int64(time.Second) == 0 {
		g = 2 * time.Second
	}
	return s.last() >= now.Add(-g).UnixNano()
}

// last is the time of the last change.
func (s stamp) last() int64 { return max(s.mtime, s.changed) }

// hash returns a hash of the name and the stamp of a file. The sum of the hashes of all files is
// the hash of a directory.
func (s stamp) hash(name string) int64 {
	b := make([]byte, 0, 96)
	for _, n := range []int64{s.size, s.mtime, s.changed, s.inode} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	sum := sha256.Sum256(append(b, name...))
	return int64(binary.LittleEndian.Uint64(sum[:]))
}
