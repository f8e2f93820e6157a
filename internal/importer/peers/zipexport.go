package peers

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// maxExport is the number of bytes, unpacked, of what is read of an export in a zip file. A part that unpacks to more than it
// declares ends in an error, so that the declared sizes can be trusted.
const maxExport = 1 << 30

// openExport reads the parts of a zip file that ChatGPT or Claude wrote, without unpacking it to disk; nil if it has none.
func openExport(f file) (*formats.Source, error) {
	var kind formats.Kind
	err := withZip(f.path, func(r *zip.Reader) error {
		return eachPart(r, func(_ *zip.File, k *jsonKind) error {
			if k != nil && kind == "" {
				kind = k.kind
			}
			return nil
		})
	})
	if kind == "" || err != nil {
		return nil, err
	}
	return formats.NewSource(kind, func(out *formats.Out) error {
		unknown := unknownFiles{}
		return withZip(f.path, func(r *zip.Reader) error {
			return eachPart(r, func(part *zip.File, k *jsonKind) error {
				if k == nil {
					unknown.skip(part.Name, out)
					return nil
				}
				member := file{path: f.path, name: part.Name, modified: f.modified, options: f.options, part: part}
				return out.Include(part.Name, formats.NewSource(k.kind, func(out *formats.Out) error { return k.read(member, out) }))
			})
		})
	}), nil
}

// eachPart calls fn with each file of a zip, and the kind of export that it is of; nil for no such file. Those that are read must
// not be too large together.
func eachPart(r *zip.Reader, fn func(*zip.File, *jsonKind) error) error {
	var size uint64
	for _, part := range r.File {
		if part.FileInfo().IsDir() || isHidden(part.Name) {
			continue
		}
		kind, err := exportKind(part)
		if err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
		if kind != nil {
			if size += min(part.UncompressedSize64, maxExport+1); size > maxExport {
				return hippo.Fieldf("zip", "must be at most %d bytes unpacked: unpack it, and import the folder", maxExport)
			}
		}
		if err := fn(part, kind); err != nil {
			return err
		}
	}
	return nil
}

// isHidden reports whether a path has a hidden folder or file, or the folder that macOS adds.
func isHidden(name string) bool {
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// exportKind returns the kind of an export that a part of a zip file is of, by its beginning; nil for none.
func exportKind(part *zip.File) (*jsonKind, error) {
	if !strings.EqualFold(path.Ext(part.Name), ".json") {
		return nil, nil
	}
	const encrypted = 1
	if part.Flags&encrypted != 0 {
		return nil, fmt.Errorf("%w: it is encrypted: unpack it, and import the folder", hippo.ErrUnsupported)
	}
	r, err := part.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrCorrupt, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(r, SniffLength))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrCorrupt, err)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil, nil
	}
	objects, inArray := firstObjects(text)
	if k := peerOf(text, objects, inArray); k != nil && (k.kind == KindChatGPT || k.kind == KindClaude) {
		return k, nil
	}
	return nil, nil
}
