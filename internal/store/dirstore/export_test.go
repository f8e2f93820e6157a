package dirstore

import "testing"

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
	f.Fuzz(func(t *testing.T, b []byte) {
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
