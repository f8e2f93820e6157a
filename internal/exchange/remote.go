package exchange

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

const (
	keySuffix   = ".key"
	stateSuffix = ".state"
	copySuffix  = ".git"
	memoSuffix  = ".memo"
	// maxKey is how many bytes a file with a key may have.
	maxKey = 64 << 10
)

// remote is a remote as this machine knows it.
type remote struct {
	carrier Carrier
	path    string // of its files, without a suffix
	key     *shelf.Key
	broken  error // why there is no key
	state   *shelf.State
	synced  time.Time // when all was exchanged last; zero: never
	// unfinished: the recovery key was not shown yet.
	unfinished bool
	failure    *Failure // nil: the last exchange worked
	// team is what is exchanged with a team; nil: the vault is of the machines of one person.
	team *shelf.Team
	// withdrawn identifies the memories that had been withdrawn when the files of this machine were written again without them.
	withdrawn string
	// names are those of repositories when they were united last.
	names []string
}

// vault identifies the vault; empty: the key is lost.
func (r *remote) vault() string {
	if r.key == nil {
		return ""
	}
	return r.key.Vault()
}

// Failure is why exchanges with a remote have failed since the last one that worked.
type Failure struct {
	Since time.Time  `json:"since"`
	At    time.Time  `json:"at"` // of the last one
	Times int        `json:"times"`
	Code  hippo.Code `json:"code"`
	Text  string     `json:"text"`
}

// files is the folder with the keys and the states.
type files string

// keyFile is the content of a file with a key.
type keyFile struct {
	Carrier Carrier `json:"carrier"`
	Key     string  `json:"key"`
	// Unfinished: the recovery key was not shown yet.
	Unfinished bool        `json:"unfinished,omitempty"`
	Team       *shelf.Team `json:"team,omitempty"`
}

// stateFile is the content of a file with a state.
type stateFile struct {
	Synced    time.Time    `json:"synced,omitzero"`
	Failure   *Failure     `json:"failure,omitempty"`
	State     *shelf.State `json:"state"`
	Withdrawn string       `json:"withdrawn,omitempty"`
	Names     []string     `json:"names,omitempty"`
}

// remote returns the remote of a carrier, whether it is there or not.
func (x files) remote(c Carrier) *remote {
	sum := sha256.Sum256([]byte(c))
	return &remote{carrier: c, path: filepath.Join(string(x), hex.EncodeToString(sum[:12])), state: &shelf.State{}}
}

// list returns the remotes, by carrier. The error is [hippo.ErrNotFound] if there are none.
func (x files) list() ([]*remote, error) {
	files, err := filepath.Glob(filepath.Join(string(x), "*"+keySuffix))
	if err != nil {
		return nil, err
	}
	var out []*remote
	for _, file := range files {
		r, err := x.load(file)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *remote) int { return strings.Compare(string(a.carrier), string(b.carrier)) })
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: the store has no remote: begin one with hippo sync init CARRIER, or use that of another machine with hippo sync join CODE CARRIER", hippo.ErrNotFound)
	}
	return out, nil
}

// load reads what is known of a remote. A state that is lost costs time alone.
func (x files) load(file string) (*remote, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: the key of a remote: %w", hippo.ErrUnavailable, err)
	}
	var k keyFile
	if err := json.Unmarshal(b, &k); err != nil || k.Carrier == "" {
		return nil, fmt.Errorf("%w: %s does not name its remote: delete it, and run hippo sync join with an invitation from another machine, or with the recovery key", hippo.ErrCorrupt, file)
	}
	r := x.remote(k.Carrier)
	r.unfinished = k.Unfinished
	r.key, r.broken = shelf.ParseKey(k.Key)
	r.team = k.Team
	var kept stateFile
	if b, err := os.ReadFile(r.path + stateSuffix); err == nil && json.Unmarshal(b, &kept) == nil && kept.State != nil {
		r.state, r.synced, r.failure, r.withdrawn, r.names = kept.State, kept.Synced, kept.Failure, kept.Withdrawn, kept.Names
	}
	r.state.Team = r.team != nil
	return r, nil
}

// begun returns the key of a remote whose Init was stopped; nil if there is none.
func (x files) begun(c Carrier) *shelf.Key {
	r, err := x.load(x.remote(c).path + keySuffix)
	if err != nil || !r.unfinished {
		return nil
	}
	return r.key
}

// one returns a remote, whose carrier may lack its password; without a carrier the only one.
func (x files) one(c Carrier) (*remote, error) {
	list, err := x.list()
	if err != nil {
		return nil, err
	}
	if c == "" && len(list) == 1 {
		return list[0], nil
	}
	names := make([]string, len(list))
	for i, r := range list {
		if r.carrier == c || r.carrier.String() == string(c) {
			return r, nil
		}
		names[i] = r.carrier.String()
	}
	if c == "" {
		return nil, hippo.Fieldf("carrier", "must be given, as the store has several remotes: %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%w: the store does not sync with %v; it does with %s", hippo.ErrNotFound, c, strings.Join(names, ", "))
}

// exist reports whether there is a remote, at the cost of reading a folder.
func (x files) exist() bool {
	files, err := os.ReadDir(string(x))
	return err == nil && slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), keySuffix) })
}

// note keeps how an exchange has ended. One that was called off says nothing.
func (r *remote) note(err error, exchanged bool, now time.Time) {
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		f := Failure{Since: now, At: now, Times: 1, Code: hippo.CodeOf(err), Text: err.Error()}
		if r.failure != nil {
			f.Since, f.Times = r.failure.Since, r.failure.Times+1
		}
		r.failure = &f
	case exchanged:
		r.synced, r.failure = now, nil
	}
}

func (r *remote) open(ctx context.Context, o *Options) (shelf.Folder, error) {
	return r.carrier.open(ctx, r.path, o)
}

// save writes the key, so that it is on the disk before it is used, and the state.
func (r *remote) save() error {
	b, err := json.Marshal(keyFile{r.carrier, r.key.String(), r.unfinished, r.team})
	if err != nil {
		return err
	}
	f, err := atomicfile.Read(r.path+keySuffix, maxKey)
	if err == nil && !bytes.Equal(f.Content, b) {
		err = f.Replace(b)
	}
	if err != nil {
		return fmt.Errorf("%w: keep the key of the remote: %w", hippo.ErrUnavailable, err)
	}
	return r.saveState()
}

func (r *remote) saveState() error {
	b, err := json.Marshal(stateFile{r.synced, r.failure, r.state, r.withdrawn, r.names})
	if err != nil {
		return err
	}
	if err := atomicfile.Write(r.path+stateSuffix, b); err != nil {
		return fmt.Errorf("%w: keep the state of the remote: %w", hippo.ErrUnavailable, err)
	}
	return nil
}

// remove deletes what is known of the remote. The key goes last.
func (r *remote) remove() error {
	err := os.RemoveAll(r.path + copySuffix)
	for _, suffix := range []string{memoSuffix, stateSuffix, keySuffix} {
		if gone := os.Remove(r.path + suffix); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// learn adds the statements of another remote of the same vault.
func learn(to, from *shelf.State) {
	for _, s := range from.Statements {
		known := false
		for _, o := range to.Statements {
			known = known || o.Text == s.Text && bytes.Equal(o.By, s.By)
		}
		if !known {
			to.Statements = append(to.Statements, s)
		}
	}
}
