package codeindex_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// counted is an encoder that says which passages it embedded. Texts with equal first letters of their words are similar.
type counted struct {
	mu       sync.Mutex
	passages []string
	queries  int
	failure  error
}

const countedDim = 16

func (*counted) Model() embed.Model {
	return embed.Model{ID: "counted@1", Space: "counted", Dimension: countedDim}
}

func (c *counted) Embed(_ context.Context, role embed.Role, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return nil, c.failure
	}
	if role == embed.Query {
		c.queries += len(texts)
	} else {
		c.passages = append(c.passages, texts...)
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, countedDim)
		h := fnv.New32()
		h.Write([]byte(strings.Fields(text + " x")[0]))
		out[i][h.Sum32()%countedDim] = 1
	}
	return out, nil
}

// taken returns how many passages and queries were embedded since the last call.
func (c *counted) taken() (passages, queries int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	passages, queries = len(c.passages), c.queries
	c.passages, c.queries = nil, 0
	return passages, queries
}

func encoding(t testing.TB, dir string, c *counted) *codeindex.Library {
	t.Helper()
	o := config(t, dir)
	w := rank.CodeWeights()
	o.Encoder, o.Weights = c, &w
	l := codeindex.NewLibrary(o)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// functions are files with a function each.
func functions(n int) map[string]string {
	files := make(map[string]string)
	for i := range n {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package p\n\nfunc number%d() int {\n\treturn %d\n}\n", i, i)
	}
	return files
}

func encode(t testing.TB, tree *codeindex.Tree) {
	t.Helper()
	if err := codeindex.Encode(t.Context(), tree, &codeindex.EncodeOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
}

func encoded(t testing.TB, tree *codeindex.Tree) (have, all int) {
	t.Helper()
	s := tree.Status(t.Context())
	return s.Encoded, s.Encodable
}

// Each chunk is embedded once: not again in another process, in another generation, or when an edit is taken back. An edited file
// is found before its chunks are embedded, and the encoder ranks all the same.
func TestEncode(t *testing.T) {
	t.Parallel()
	cache, root, c := t.TempDir(), t.TempDir(), &counted{}
	files := functions(40)
	write(t, root, files)
	tree := add(t, encoding(t, cache, c), root)
	chunks := update(t, tree).Chunks
	if hits := found(t, tree, codeindex.Query{Text: "number7"}); !strings.Contains(first(hits), "number7") {
		t.Errorf("before it is embedded: %v", hits)
	}
	if passages, queries := c.taken(); passages+queries > 0 {
		t.Errorf("%d passages and %d queries without Encode", passages, queries)
	}
	encode(t, tree)
	for _, text := range c.passages { // what stands before the definition is the same everywhere
		if strings.Contains(text, "package p") || !strings.Contains(text, "func number") {
			t.Errorf("embedded: %q", text)
		}
	}
	if passages, _ := c.taken(); passages != chunks {
		t.Errorf("%d passages of %d chunks", passages, chunks)
	}
	found(t, tree, codeindex.Query{Text: "number7"})
	if _, queries := c.taken(); queries != 1 {
		t.Errorf("%d queries by the encoder", queries)
	}
	write(t, root, map[string]string{"f7.go": "package p\n\nfunc zebra() int {\n\treturn 70\n}\n"})
	update(t, tree)
	if have, all := encoded(t, tree); all-have != 1 {
		t.Errorf("%d of %d after an edit of one function", have, all)
	}
	if hits := found(t, tree, codeindex.Query{Text: "zebra"}); !strings.Contains(first(hits), "zebra") {
		t.Errorf("an edited file: %v", hits)
	}
	if passages, queries := c.taken(); passages != 0 || queries != 1 {
		t.Errorf("after an edit: %d passages, %d queries", passages, queries)
	}
	encode(t, tree)
	write(t, root, map[string]string{"f7.go": files["f7.go"]})
	update(t, tree)
	if _, err := tree.Update(t.Context(), &codeindex.UpdateOptions{Rebuild: true}); err != nil {
		t.Fatal(err)
	}
	encode(t, tree)
	other := add(t, encoding(t, cache, c), root)
	if have, all := encoded(t, other); have != chunks || all != chunks {
		t.Errorf("in another process: %d of %d", have, all)
	}
	if passages, _ := c.taken(); passages != 1 {
		t.Errorf("%d passages for one edit, taken back, a new generation and another process", passages)
	}
}

// What is done when the work ends in the middle is not done again.
func TestEncode_ended(t *testing.T) {
	t.Parallel()
	cache, root, c := t.TempDir(), t.TempDir(), &counted{}
	write(t, root, functions(50))
	l := encoding(t, cache, c)
	tree := add(t, l, root)
	chunks := update(t, tree).Chunks
	ctx, cancel := context.WithCancel(t.Context())
	var last api.CodeProgress
	err := codeindex.Encode(ctx, tree, &codeindex.EncodeOptions{Now: true, Progress: func(p api.CodeProgress) { last = p; cancel() }})
	if !errors.Is(err, context.Canceled) || last.Phase != api.CodeEmbedding || last.Done == 0 || last.Total != int64(chunks) {
		t.Fatalf("%v, %+v", err, last)
	}
	// The process that was killed saved no words: only the file of vectors is left.
	words, err := filepath.Glob(filepath.Join(cache, "*", "*", "words"))
	if err != nil || len(words) != 1 {
		t.Fatal(words, err)
	}
	if err := os.Remove(words[0]); err != nil {
		t.Fatal(err)
	}
	again := add(t, encoding(t, cache, c), root)
	encode(t, again)
	if passages, _ := c.taken(); passages != chunks {
		t.Errorf("%d passages of %d chunks", passages, chunks)
	}
}

// An index that was made without an encoder opens with one, and answers; so does one whose file of vectors is damaged.
func TestEncode_former(t *testing.T) {
	t.Parallel()
	cache, root, c := t.TempDir(), t.TempDir(), &counted{}
	write(t, root, functions(30))
	former := library(t, cache)
	update(t, add(t, former, root))
	tree := add(t, encoding(t, cache, c), root)
	if hits := found(t, tree, codeindex.Query{Text: "number7"}); !strings.Contains(first(hits), "number7") {
		t.Errorf("%v", hits)
	}
	encode(t, tree)
	have, all := encoded(t, tree)
	if have != all || have == 0 {
		t.Errorf("%d of %d", have, all)
	}
	lists, err := filepath.Glob(filepath.Join(cache, "*", "vectors"))
	if err != nil || len(lists) != 1 {
		t.Fatal(lists, err)
	}
	if err := os.WriteFile(lists[0], []byte("HIPPOVEC what is this"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{"f1.go": "package p\n\nfunc zebra() {}\n"})
	update(t, tree)
	encode(t, tree)
	if have, all := encoded(t, tree); have != all {
		t.Errorf("with a damaged file: %d of %d", have, all)
	}
}

// An encoder that fails changes no answer; it is tried again.
func TestEncode_failure(t *testing.T) {
	t.Parallel()
	root, c := t.TempDir(), &counted{}
	write(t, root, functions(20))
	tree := add(t, encoding(t, t.TempDir(), c), root)
	update(t, tree)
	c.failure = errors.New("no memory left")
	if err := codeindex.Encode(t.Context(), tree, nil); !errors.Is(err, c.failure) {
		t.Errorf("%v", err)
	}
	want := found(t, tree, codeindex.Query{Text: "number7"})
	c.failure = nil
	encode(t, tree)
	c.failure = errors.New("no memory left")
	if got := found(t, tree, codeindex.Query{Text: "number7"}); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// A tree of more chunks than [codeindex.MaxEncoded] has none embedded.
func TestEncode_large(t *testing.T) {
	t.Parallel()
	root, c := t.TempDir(), &counted{}
	var b strings.Builder
	b.WriteString("package p\n")
	for i := range codeindex.MaxEncoded + 1 {
		fmt.Fprintf(&b, "\nfunc f%d() {}\n", i)
	}
	write(t, root, map[string]string{"f.go": b.String()})
	tree := add(t, encoding(t, t.TempDir(), c), root)
	if n := update(t, tree).Chunks; n <= codeindex.MaxEncoded {
		t.Fatalf("%d chunks", n)
	}
	encode(t, tree)
	found(t, tree, codeindex.Query{Text: "f77"})
	passages, queries := c.taken()
	if _, all := encoded(t, tree); passages+queries+all > 0 {
		t.Errorf("%d passages, %d queries, %d to embed", passages, queries, all)
	}
}

// What waits for power in the background holds up nobody who waits.
func TestEncode_battery(t *testing.T) {
	t.Parallel()
	cache, root, c := t.TempDir(), t.TempDir(), &counted{}
	write(t, root, functions(30))
	asked := make(chan struct{}, 100)
	o := config(t, cache)
	o.Encoder, o.OnBattery = c, func(context.Context) bool { asked <- struct{}{}; return true }
	background := codeindex.NewLibrary(o)
	tree := add(t, background, root)
	update(t, tree)
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := codeindex.Encode(ctx, tree, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("in the background: %v", err)
		}
	})
	<-asked
	if s := tree.Status(t.Context()); s.Running {
		t.Errorf("on battery it says that it embeds")
	}
	now := add(t, encoding(t, cache, c), root)
	encode(t, now)
	if have, all := encoded(t, now); have != all || all == 0 {
		t.Errorf("%d of %d embedded", have, all)
	}
	cancel()
	work.Wait()
	if err := background.Close(); err != nil {
		t.Error(err)
	}
}

// What changes is embedded in the background.
func TestEncodeWhenever(t *testing.T) {
	t.Parallel()
	root, c := t.TempDir(), &counted{}
	files := functions(30)
	write(t, root, files)
	tree := add(t, encoding(t, t.TempDir(), c), root)
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	changed := make(chan struct{})
	work.Go(func() { codeindex.EncodeWhenever(ctx, tree, changed) })
	for _, text := range []string{"func a() {}", "func b() {}"} {
		edited := maps.Clone(files)
		edited["f3.go"] = "package p\n\n" + text + "\n"
		write(t, root, edited)
		update(t, tree)
		changed <- struct{}{}
		for have, all := encoded(t, tree); have < all; have, all = encoded(t, tree) {
			time.Sleep(time.Millisecond)
		}
	}
	cancel()
	work.Wait()
}
