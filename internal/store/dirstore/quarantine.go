package dirstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// quarantine copies a file that is about to be replaced or removed to .hippo/corrupt, for a
// person to inspect, and returns the new name.
func quarantine(d *directory, name string) (string, error) {
	b, _, err := d.read(name, maxFile)
	if err != nil && !errors.Is(err, hippo.ErrInvalid) {
		return "", d.failed("read", name, err)
	}
	if err := d.root().MkdirAll(corruptDir, 0o700); err != nil {
		return "", d.failed("create", corruptDir, err)
	}
	sum := sha256.Sum256(b)
	to := fmt.Sprintf("%s/%s.%x", corruptDir, name, sum[:4])
	from := name
	if err == nil { // else it is too large to be copied, or to be a memory
		if from, err = writeWhole(d, b); err != nil {
			return "", err
		}
	}
	return to, d.rename(from, to)
}

// quarantined lists the files in .hippo/corrupt, with the errors they give today.
func quarantined(d *directory) (list []api.StoreProblem, err error) {
	all, err := d.list(corruptDir)
	for _, e := range all {
		name := corruptDir + "/" + e.Name()
		original := e.Name()
		if i := strings.LastIndexByte(original, '.'); i > 0 {
			original = original[:i]
		}
		list = append(list, api.StoreProblem{Path: d.full(name), Was: d.full(original), Err: reason(d, name, original)})
	}
	return list, err
}

// reason returns why a file is in .hippo/corrupt.
func reason(d *directory, name, original string) string {
	b, _, err := d.read(name, maxFile)
	switch {
	case err != nil:
	case original == metadataName:
		_, _, err = decodeMetadata(b)
	default:
		_, err = formats.DecodeInsight(b)
	}
	if err != nil {
		return err.Error()
	}
	return "was in the way of another memory"
}
