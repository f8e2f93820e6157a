package dirstore

import (
	"bytes"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// WithFault returns o with a hook that is asked before every change of the disk.
func (o Options) WithFault(fault func(op, name string) error) *Options {
	o.fault = fault
	return &o
}

// Sync looks at all files now, as the poll does.
func (s *Store) Sync() error { return s.sync(nil, true) }

// FuzzFormats reads bytes as each of the formats of .hippo.
func FuzzFormats(f *testing.F) {
	f.Add(storeRecord("store").append(nil))
	f.Add(encodeJournal([]step{{name: metadataName, data: []byte("{}")}, {name: nameOf([16]byte{1})}}))
	f.Add([]byte(`{"active_day_counter":3,"last_calendar_date_used":"2025-08-02","other":[1]}`))
	f.Add(vectorFileOf(hippo.ID{1}, hippo.ID{2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzVectors(t, b)
		for _, r := range parseRecords(b) {
			if again := parseRecords(r.append(nil)); len(again) != 1 || again[0] != r {
				t.Errorf("record %+v is read again as %+v", r, again)
			}
		}
		if steps := decodeJournal(b); len(steps) > 0 && len(decodeJournal(encodeJournal(steps))) != len(steps) {
			t.Errorf("journal of %d steps is read again as another", len(steps))
		}
		c, keys, err := decodeMetadata(b)
		if err != nil {
			return
		}
		out, err := encodeMetadata(c, keys)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := decodeMetadata(out); err != nil || again != c {
			t.Errorf("calendar %+v is read again as %+v, %v", c, again, err)
		}
	})
}

func vectorFileOf(ids ...hippo.ID) []byte {
	b := appendVectorHeader(nil, "model", 2)
	for i, id := range ids {
		b = appendVector(b, driver.Vector{ID: id, Text: 7, Values: []float32{1, -2}}, i < len(ids)-1)
	}
	return appendVector(b, driver.Vector{ID: ids[0]}, false)
}

// fuzzVectors checks that every place found holds the vector of its memory.
func fuzzVectors(t *testing.T, b []byte) {
	model, dimension, err := readVectorHeader(bytes.NewReader(b))
	if err != nil {
		return
	}
	begin := vectorHeader + len(model)
	if again := appendVectorHeader(nil, model, dimension); !bytes.Equal(again, b[:begin]) {
		t.Errorf("header of model %q is written again as another", model)
	}
	end, err := scanVectors(bytes.NewReader(b[begin:]), int64(begin), dimension, func(write []place) {
		for _, p := range write {
			if p.at == 0 {
				continue
			}
			if v, ok := parseVector(b[p.at : int(p.at)+vectorRecord+4*dimension]); !ok || v.ID != p.id {
				t.Errorf("at %d there is not the vector of %v", p.at, p.id)
			}
		}
	})
	if err != nil || end > int64(len(b)) {
		t.Errorf("scan of %d bytes ends at %d: %v", len(b), end, err)
	}
}
