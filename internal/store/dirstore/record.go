package dirstore

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// recordSize is the size of every record of the log:
//
//	0  CRC-32C of the rest, little endian like all numbers
//	4  kind
//	5  1 if the next record belongs to the same commit, else 0
//	6  version of the memory, if it is above the one in its file
//	8  revision; bound; active day; version of the format
//	16 ID
//	32 SHA-256 of the file; date; identity of the store
const recordSize = 64

// logVersion is the version of the log's format. 1: the first.
const logVersion = 1

type kind byte

const (
	kindStore    kind = 'H' // first record: the identity of the store
	kindBound    kind = 'B' // no revision above this one was given out
	kindCalendar kind = 'C'
	kindPut      kind = 'P'
	kindPurge    kind = 'D'
)

type record struct {
	kind    kind
	more    bool // the commit goes on in the next record
	version uint16
	number  uint64
	id      hippo.ID
	sum     [32]byte
}

func storeRecord(id string) record {
	r := record{kind: kindStore, number: logVersion}
	copy(r.sum[:], id)
	return r
}

func calendarRecord(c driver.Calendar) record {
	r := record{kind: kindCalendar, number: uint64(c.Day)}
	copy(r.sum[:], c.Date)
	return r
}

func (r record) text() string { return string(bytes.TrimRight(r.sum[:], "\x00")) }

func (r record) calendar() driver.Calendar {
	return driver.Calendar{Day: hippo.Day(r.number), Date: r.text()}
}

func (r record) append(b []byte) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, byte(r.kind), flag(r.more))
	b = binary.LittleEndian.AppendUint16(b, r.version)
	b = binary.LittleEndian.AppendUint64(b, r.number)
	b = append(b, r.id[:]...)
	b = append(b, r.sum[:]...)
	binary.LittleEndian.PutUint32(b[start:], checksum(b[start+4:]))
	return b
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// parseRecords returns the records up to the first that is incomplete or broken.
func parseRecords(b []byte) []record {
	var list []record
	for len(b) >= recordSize && checksum(b[4:recordSize]) == binary.LittleEndian.Uint32(b) {
		r := record{
			kind: kind(b[4]), more: b[5] == 1, version: binary.LittleEndian.Uint16(b[6:]), number: binary.LittleEndian.Uint64(b[8:]),
			id: hippo.ID(b[16:32]), sum: [32]byte(b[32:64]),
		}
		list = append(list, r)
		b = b[recordSize:]
	}
	return list
}
