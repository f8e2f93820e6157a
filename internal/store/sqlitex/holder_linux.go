package sqlitex

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// writeLock is the byte of PATH-shm that the process has locked which writes a file with a log. Source: the chapter on the format of
// WAL files of SQLite.
const writeLock = 120

// writerOf returns the process that has a file locked for writing, as far as the system says it. It opens nothing: to close a file
// that SQLite has open in this process would end its locks.
func writerOf(path string) process {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return process{}
	}
	db, shm := inodeOf(path), inodeOf(path+shmSuffix)
	for line := range bytes.Lines(locks) {
		id, inode, first, last := parseLock(string(line))
		if id > 0 && inode != 0 && (inode == db || inode == shm && first <= writeLock && writeLock <= last) {
			return processOf(id)
		}
	}
	return process{}
}

func inodeOf(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Ino
}

// parseLock returns the process, the file and the range of a lock for writing; no process for any other line. A line is as
// "1: POSIX ADVISORY WRITE 3548 00:2d:1234 120 120"; one that waits has an arrow.
func parseLock(line string) (id int, inode, first, last uint64) {
	fields := strings.Fields(line)
	if len(fields) != 8 || fields[1] != "POSIX" || fields[3] != "WRITE" {
		return 0, 0, 0, 0
	}
	id, err := strconv.Atoi(fields[4])
	if err != nil {
		return 0, 0, 0, 0
	}
	inode, _ = strconv.ParseUint(fields[5][strings.LastIndex(fields[5], ":")+1:], 10, 64)
	first, _ = strconv.ParseUint(fields[6], 10, 64)
	if last, err = strconv.ParseUint(fields[7], 10, 64); err != nil {
		last = 1<<63 - 1 // EOF
	}
	return id, inode, first, last
}

// processOf returns what the system says of a process.
func processOf(id int) process {
	p := process{id: id, name: "unknown"}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)) // "3548 (name) S ..."
	from, to := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if err != nil || from < 0 || to+2 >= len(b) {
		return p
	}
	p.name = strings.ToValidUTF8(string(b[from+1:to]), "?")
	p.stopped = b[to+2] == 'T' || b[to+2] == 't'
	return p
}
