package shelf

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

const formatName = "format"

// file is a file of a replica, by what its name says.
type file struct {
	path                 string
	size                 int64
	replica              clock.Replica
	generation, from, to uint64
}

// view is what a folder holds: the files of replicas, and those of holders by holder. All other names are foreign.
type view struct {
	sizes    map[string]int64
	segments map[clock.Replica][]file
	keys     map[string][]string
}

func viewOf(ctx context.Context, f Folder) (*view, error) {
	sizes, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	v := &view{sizes, make(map[clock.Replica][]file), make(map[string][]string)}
	holder := regexp.MustCompile(`^keys/([0-9a-f]{32})-[0-9a-f]{32}\.age$`)
	segment := regexp.MustCompile(`^r/([0-9a-f]{32})/([1-9][0-9]{0,15})-([1-9][0-9]{0,15})-([1-9][0-9]{0,15})-[0-9a-f]{32}\.age$`)
	for _, path := range slices.Sorted(maps.Keys(sizes)) {
		if m := holder.FindStringSubmatch(path); m != nil {
			v.keys[m[1]] = append(v.keys[m[1]], path)
		} else if m := segment.FindStringSubmatch(path); m != nil {
			r, err := clock.ParseReplica(m[1])
			f := file{path: path, size: sizes[path], replica: r}
			for i, to := range []*uint64{&f.generation, &f.from, &f.to} {
				*to, _ = strconv.ParseUint(m[i+2], 10, 64) // sixteen digits fit
			}
			if err == nil && f.from <= f.to && f.to <= entry.MaxSeq {
				v.segments[r] = append(v.segments[r], f)
			}
		}
	}
	return v, nil
}

// used reports whether there is anything of a vault.
func (v *view) used() bool {
	_, ok := v.sizes[formatName]
	return ok || len(v.keys)+len(v.segments) > 0
}

// holders returns the names of the files of all holders, in order.
func (v *view) holders() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for _, list := range v.keys {
			for _, name := range list {
				if !yield(name) {
					return
				}
			}
		}
	})
}

// written returns the highest number of a replica that the folder has; none if it has none.
func (v *view) written(replica clock.Replica) entry.Vector {
	out := make(entry.Vector)
	for _, f := range v.segments[replica] {
		out.Add(entry.Dot{Origin: replica, Seq: f.to})
	}
	return out
}

// digest is the end of the name of a file with some content.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// named returns the name of a file that begins with a text.
func named(begin string, data []byte) string { return begin + "-" + digest(data) + ".age" }

// get returns the content of a file that is named by it.
func get(ctx context.Context, f Folder, name string) ([]byte, error) {
	b, err := f.Get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	if !strings.HasSuffix(name, named("", b)) {
		return nil, errHalf()
	}
	return b, nil
}

func errHalf() error {
	return fmt.Errorf("%w: the file has not arrived as a whole, or is damaged", hippo.ErrUnavailable)
}

func newer(format any) error {
	return fmt.Errorf("%w: format %.40v, this program knows %d: use a newer hippo", hippo.ErrUnsupported, format, Format)
}

// span is a run of numbers.
type span struct{ from, to uint64 }

// gaps returns the numbers of a run that no file covers.
func gaps(list []file, from, to uint64) []span {
	list = slices.SortedFunc(slices.Values(list), func(a, b file) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, f := range list {
		if f.from > to {
			break
		}
		if f.from > from {
			out = append(out, span{from, f.from - 1})
		}
		from = max(from, f.to+1)
	}
	if from <= to {
		out = append(out, span{from, to})
	}
	return out
}

// opened is a file of a replica that was read.
type opened struct {
	segments []*entry.Segment
	entries  int
	by       *Member
	at       time.Time
}

// magic begins what is encrypted, before the number of the format.
const magic = "hippo-sync "

// maxUnpacked is how many bytes the entries of a file may have; a writer ends one sooner.
const maxUnpacked = 16 * entry.MaxLine

// about is the beginning of the name, which the signature covers.
func (f *file) about() string {
	return fmt.Sprintf("r/%v/%d-%d-%d", f.replica, f.generation, f.from, f.to)
}

// signedText is what the signature of a file covers: its name, who signs it and when, and the deflated entries.
func (f *file) signedText(by, at string, body []byte) []byte {
	return append([]byte("hippo sync segment\n"+f.about()+"\n"+by+" "+at+"\n"), body...)
}

// seal deflates, signs and encrypts segments, and names the file.
func (k *Key) seal(f *file, now time.Time, list []*entry.Segment) ([]byte, error) {
	var body bytes.Buffer
	w, err := flate.NewWriter(&body, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := entry.Write(w, list...); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	at := clock.At(now).String()
	sig := ed25519.Sign(k.sign, f.signedText(k.id(), at, body.Bytes()))
	head := fmt.Sprintf("%s%d %s %s %s\n", magic, Format, k.id(), at, base64.RawStdEncoding.EncodeToString(sig))
	data, err := encrypt(append([]byte(head), body.Bytes()...), k.vault.Recipient())
	f.path, f.size = named(f.about(), data), int64(len(data))
	return data, err
}

// unseal is the inverse of [Key.seal]. mayWrite returns the machine that an id names if it may have written the file.
func (k *Key) unseal(f *file, data []byte, mayWrite func(f *file, id string) (*Member, error)) (*opened, error) {
	plain, err := decrypt(data, k.vault)
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(plain, []byte("\n"))
	format, rest, _ := strings.Cut(strings.TrimPrefix(string(head), magic), " ")
	fields := strings.Split(rest, " ")
	switch {
	case len(head) > 256 || !bytes.HasPrefix(head, []byte(magic)):
		return nil, fmt.Errorf("%w: it is no file of a shelf", hippo.ErrCorrupt)
	case format != strconv.Itoa(Format) || len(fields) != 3:
		return nil, newer(format)
	}
	o := &opened{}
	if o.by, err = mayWrite(f, fields[0]); err != nil {
		return nil, err
	}
	sig, err := base64.RawStdEncoding.Strict().DecodeString(fields[2])
	if err != nil || !ed25519.Verify(o.by.key, f.signedText(fields[0], fields[1], body), sig) {
		return nil, fmt.Errorf("%w: the signature is not that of the machine that it names", hippo.ErrForbidden)
	}
	at, err := clock.ParseTime(fields[1])
	o.at = at.Wall()
	if err == nil {
		err = o.unpack(f, body)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrCorrupt, err)
	}
	return o, nil
}

// unpack reads deflated entries, which have to be those that the name of the file says.
func (o *opened) unpack(f *file, body []byte) error {
	packed := bytes.NewReader(body)
	limited := &io.LimitedReader{R: flate.NewReader(packed), N: maxUnpacked}
	next := f.from
	for s, err := range entry.Read(limited) {
		if err != nil {
			return err
		}
		if s.Replica != f.replica || s.From != next {
			return fmt.Errorf("it holds entries from %d on where %d was expected", s.From, next)
		}
		next = s.To + 1
		o.segments, o.entries = append(o.segments, s), o.entries+len(s.Entries)
	}
	if limited.N == 0 || next != f.to+1 || packed.Len() > 0 {
		return fmt.Errorf("it holds other entries than its name says, or more than %d bytes", maxUnpacked)
	}
	return nil
}
