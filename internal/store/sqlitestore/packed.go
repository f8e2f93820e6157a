package sqlitestore

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"

	fast "github.com/klauspost/compress/flate"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// dictionary holds the text that entry lines have in common, with the most frequent text last. It is part of the file format and must
// never change.
const dictionary = `"relation:00000000-0000-7000-8000-000000000000:0:":{"weight":,"until":,"reinforced":}"meta:"uses":{"2026-"undoes":{"replica":"` +
	`"vote":{"kind":"opened","down","up","date":"2026-,"at":17,"question":"}"archived":0"event_time":17"forgotten":0"pinned":true"project":"github.com/` +
	`"successor":""validity":{"from":17,"until":17}"seen":{"also":[["{"n":,"t":"01a0000","id":"01a0-7000-8000-","p":{"importance":{"base":0.5,"value":0.5,"date":"2026-` +
	`","at":17},"origin":{"created":17,"source":{"kind":"agent","author":"","client":"","session":""}},"tags":{"tags":["","],"version":1},` +
	`"text":{"content":"","situation":["","],"type":"decision","version":1},"trust":2}}`

// packer deflates entry lines: 1,000 bytes shrink to about 250, in about 8 µs. Only one goroutine may use it at a time. The zero value is
// ready to use. compress/flate, which reads them, would clear 640 KiB of tables for each line.
type packer struct {
	w   *fast.Writer
	out bytes.Buffer
}

// pack deflates a line. The result is valid until the next call.
func (p *packer) pack(line []byte) (_ []byte, err error) {
	p.out.Reset()
	if p.w == nil {
		if p.w, err = fast.NewWriterDict(&p.out, fast.BestSpeed, []byte(dictionary)); err != nil {
			return nil, err
		}
	} else {
		p.w.Reset(&p.out)
	}
	if _, err := p.w.Write(line); err != nil {
		return nil, err
	}
	err = p.w.Close()
	return p.out.Bytes(), err
}

// unpacker is the inverse of [packer].
type unpacker struct {
	r io.ReadCloser
	b bytes.Reader
}

// unpack inflates a line. It returns [hippo.ErrCorrupt] if that fails.
func (u *unpacker) unpack(packed []byte) ([]byte, error) {
	u.b.Reset(packed)
	if u.r == nil {
		u.r = flate.NewReaderDict(&u.b, []byte(dictionary))
	} else if r, ok := u.r.(flate.Resetter); ok {
		if err := r.Reset(&u.b, []byte(dictionary)); err != nil {
			return nil, err
		}
	}
	line, err := io.ReadAll(io.LimitReader(u.r, entry.MaxLine+1))
	if err == nil && len(line) > entry.MaxLine {
		err = fmt.Errorf("longer than %d bytes", entry.MaxLine)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: an entry for other stores cannot be read: %w", hippo.ErrCorrupt, err)
	}
	return line, nil
}
