package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// diskCache keeps the vectors of a model in a file, so that measuring again does not embed the
// same texts again: contextual models take minutes for all sets. It is safe for concurrent use
// within one process.
type diskCache struct {
	embed.Embedder
	mu    sync.Mutex
	file  *os.File
	known map[cacheKey][]float32
}

// cacheKey is the beginning of the SHA-256 of the role and the text.
type cacheKey [16]byte

// cachedModels wraps the models that are not instant.
func cachedModels(models []embedding.Model, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range models {
		if models[i].Instant {
			continue
		}
		c, err := openDiskCache(models[i].Embedder, dir)
		if err != nil {
			return err
		}
		models[i].Embedder = c
	}
	return nil
}

// openDiskCache reads the file of a model in a folder. Records are the key and the vector; one
// that was cut off is dropped.
func openDiskCache(m embed.Embedder, dir string) (*diskCache, error) {
	name := strings.NewReplacer("/", "_", "@", "_").Replace(m.Model().ID)
	f, err := os.OpenFile(filepath.Join(dir, name+".vectors"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	c := &diskCache{Embedder: m, file: f, known: make(map[cacheKey][]float32)}
	record := make([]byte, len(cacheKey{})+4*m.Model().Dimension)
	whole := int64(0)
	for r := bufio.NewReaderSize(f, 1<<20); ; whole += int64(len(record)) {
		if _, err := io.ReadFull(r, record); err != nil {
			break
		}
		key, components := cacheKey(record), record[len(cacheKey{}):]
		v := make([]float32, m.Model().Dimension)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(components[4*i:]))
		}
		c.known[key] = v
	}
	if _, err = f.Seek(whole, io.SeekStart); err == nil {
		err = f.Truncate(whole)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

func keyOf(role embed.Role, text string) cacheKey {
	sum := sha256.Sum256([]byte(role.String() + "\x00" + text))
	return cacheKey(sum[:])
}

// Embed implements [embed.Embedder]. Callers embed at the same time; a text that two of them lack is embedded twice.
func (c *diskCache) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	out, at := c.cached(role, texts)
	if len(at) == 0 {
		return out, nil
	}
	missing := make([]string, len(at))
	for i, k := range at {
		missing[i] = texts[k]
	}
	vectors, err := c.Embedder.Embed(ctx, role, missing)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		out[at[i]] = v
	}
	return out, c.keep(role, missing, vectors)
}

// cached returns the vectors that are known, and the numbers of the texts that have none.
func (c *diskCache) cached(role embed.Role, texts []string) (vectors [][]float32, missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	vectors = make([][]float32, len(texts))
	for i, t := range texts {
		if vectors[i] = c.known[keyOf(role, t)]; vectors[i] == nil {
			missing = append(missing, i)
		}
	}
	return vectors, missing
}

// keep writes the vectors that are not known yet.
func (c *diskCache) keep(role embed.Role, texts []string, vectors [][]float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var records []byte
	for i, v := range vectors {
		key := keyOf(role, texts[i])
		if c.known[key] != nil {
			continue
		}
		c.known[key] = v
		records = append(records, key[:]...)
		for _, x := range v {
			records = binary.LittleEndian.AppendUint32(records, math.Float32bits(x))
		}
	}
	_, err := c.file.Write(records)
	return err
}

// Close closes the file and the model.
func (c *diskCache) Close() error {
	err := c.file.Close()
	if m, ok := c.Embedder.(io.Closer); ok {
		err = errors.Join(err, m.Close())
	}
	return err
}
