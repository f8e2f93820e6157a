package peers

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// The kinds of sources of other programs.
const (
	KindGraph         formats.Kind = "knowledge graph"
	KindMemoryService formats.Kind = "mcp-memory-service"
	KindClaudeHippo   formats.Kind = "claude-hippo"
	KindClaudeMem     formats.Kind = "claude-mem"
	KindEngram        formats.Kind = "engram"
	KindMem0          formats.Kind = "mem0"
	KindMemoryMCP     formats.Kind = "memory-mcp"
	KindBasicMemory   formats.Kind = "basic-memory"
	KindChatGPT       formats.Kind = "chatgpt export"
	KindClaude        formats.Kind = "claude export"
	KindTranscript    formats.Kind = "transcript"
	KindNotes         formats.Kind = "notes"
	KindCSV           formats.Kind = "csv"
	KindMarkdown      formats.Kind = "markdown"
	KindText          formats.Kind = "text"
	KindHTML          formats.Kind = "html"
	KindPDF           formats.Kind = "pdf"
	KindDOCX          formats.Kind = "docx"
	KindFolder        formats.Kind = "folder"
	KindEmpty         formats.Kind = "empty file"
)

// KnownKinds lists what can be read, for people.
const KnownKinds = "Hippo's own files and exports; JSON lines or a JSON array with content; the memory.jsonl of the MCP memory server; " +
	"mcp-memory-service, claude-hippo, claude-mem, engram and mem0 (database or JSON); lists of memory-mcp; basic-memory; ChatGPT and Claude exports; " +
	"transcripts of coding agents; MEMORY.md, CLAUDE.md and AGENTS.md; CSV; txt, md, html, pdf and docx"

// Options say how to read a source; the zero value is useful.
type Options struct {
	// Map names the columns of a CSV file that fields are read from: field to column.
	Map map[string]string
	// As is [KindNotes], [KindMarkdown] or [KindText] for a text that is to be read as one;
	// empty: by content.
	As formats.Kind
	// Project is the project of memories whose source names none; empty: that of Identify.
	Project string
	// URI is where a stream is from that was copied to a file; empty: the path of the file. The IDs
	// of documents are made from it, so that it must be the same when the same is read again.
	URI string
	// Identify returns the project of the folder of notes and documents; nil: none.
	Identify func(dir string) string
}

// Open detects the kind of the file or directory at path. Errors: [hippo.ErrInvalid] for what
// is of no known kind, with a description of what it looks like, [hippo.ErrUnsupported] for
// what a newer program wrote, [hippo.ErrCorrupt] for a damaged file, and those of package os.
func Open(ctx context.Context, path string, o Options) (*formats.Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFolder(ctx, path, o)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is neither a file nor a directory", hippo.ErrInvalid, path)
	}
	s, err := openFile(ctx, file{path: path, name: filepath.Base(path), modified: info.ModTime().UTC(), options: o})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// SniffLength is the number of bytes from which the kind of a file is detected.
const SniffLength = 64 << 10

// head returns the beginning of a file.
func head(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := make([]byte, SniffLength)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], errors.Join(err, f.Close())
}

// openFile detects the kind of a file by its first bytes.
func openFile(ctx context.Context, f file) (*formats.Source, error) {
	b, err := head(f.path)
	if err != nil {
		return nil, err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
	switch {
	case bytes.HasPrefix(b, []byte("SQLite format 3\x00")):
		return openSQLite(ctx, f)
	case bytes.HasPrefix(b, []byte("PK\x03\x04")), strings.EqualFold(filepath.Ext(f.name), ".zip"):
		return openZip(f)
	case bytes.HasPrefix(text, []byte("%PDF-")):
		return openPDF(ctx, f)
	case len(text) > 0 && (text[0] == '{' || text[0] == '[') && len(f.options.Map) == 0:
		return openJSON(ctx, f, text)
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%w: looks like a text in UTF-16: save it as UTF-8, and import that", hippo.ErrInvalid)
	case bytes.IndexByte(b, 0) >= 0 || !isText(b):
		return nil, fmt.Errorf("%w: looks like a binary file, or a text that is not UTF-8; known kinds are: %s", hippo.ErrInvalid, KnownKinds)
	case len(text) == 0:
		return formats.NewSource(KindEmpty, func(*formats.Out) error { return nil }), nil
	}
	return openText(f, text)
}

// openText detects the kind of a text that is no JSON.
func openText(f file, text []byte) (*formats.Source, error) {
	switch {
	case len(f.options.Map) > 0 || f.options.As == "" && (isTable(f.name) || isCSV(text)):
		return openCSV(f)
	case isHTML(text):
		return openHTML(f)
	case f.options.As == KindNotes:
		return openNotes(f)
	case f.options.As == "" && isBasicMemory(text):
		return openBasicMemory(f)
	case f.options.As == "" && isNotes(f.name, text):
		return openNotes(f)
	case f.options.As == KindText || f.options.As == "" && !isMarkdown(f.name, text):
		return openPlain(f)
	}
	return openMarkdown(f)
}

// isText reports whether the beginning of a file is UTF-8. If it is not all of the file, its last
// character may be cut off.
func isText(b []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut < len(b); cut++ {
		if utf8.Valid(b[:len(b)-cut]) {
			return true
		}
		if len(b) < SniffLength {
			break
		}
	}
	return len(b) == 0
}

// file is a file of another program.
type file struct {
	path     string
	name     string // its path in the source, with slashes
	modified time.Time
	options  Options
	part     *zip.File // what it is in the zip file at path; nil: the file at path itself
}

func (f file) open() (io.ReadCloser, error) {
	if f.part != nil {
		return f.part.Open()
	}
	return os.Open(f.path)
}

// read calls fn with the content of the file.
func (f file) read(fn func(*bufio.Reader) error) (err error) {
	r, err := f.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return fn(bufio.NewReaderSize(r, SniffLength))
}

// maxFolder is the number of files of a folder that are read.
const maxFolder = 100_000

// openFolder reads a directory of Hippo, or the files of a folder, each by its content. Hidden
// files and folders and links are left out.
func openFolder(ctx context.Context, folder string, o Options) (*formats.Source, error) {
	own, err := formats.Open(folder)
	if err == nil || !errors.Is(err, hippo.ErrInvalid) {
		return own, err
	}
	files, err := filesOf(folder, o)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: %s holds no files; known kinds are: %s", hippo.ErrInvalid, folder, KnownKinds)
	}
	kind := KindFolder
	if slices.ContainsFunc(files, func(f file) bool { b, err := head(f.path); return err == nil && isBasicMemory(b) }) {
		kind = KindBasicMemory
	}
	return formats.NewSource(kind, func(out *formats.Out) error {
		var notes []file
		unknown := unknownFiles{}
		for _, f := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if b, err := head(f.path); err == nil && f.options.As == "" && isBasicMemory(b) {
				notes = append(notes, f)
				continue
			}
			if err := readMember(ctx, f, out, unknown); err != nil {
				return err
			}
		}
		return readBasicMemory(notes, out)
	}), nil
}

// readMember adds what a file of a folder holds.
func readMember(ctx context.Context, f file, out *formats.Out, unknown unknownFiles) error {
	s, err := openFile(ctx, f)
	if errors.Is(err, hippo.ErrInvalid) || err == nil && s.Kind == KindText && f.options.As == "" && !isDocument(f.name) {
		unknown.skip(f.name, out)
		return nil
	}
	if err != nil {
		return out.Memory(f.name, nil, err)
	}
	return out.Include(f.name, s)
}

// unknownFiles has the first file of no known kind by how its name ends.
type unknownFiles map[string]string

// skip counts a file of no known kind.
func (u unknownFiles) skip(name string, out *formats.Out) {
	ending := strings.ToLower(filepath.Ext(name))
	if u[ending] == "" {
		u[ending] = name
	}
	out.Skip("files of no known kind, such as "+u[ending], 1)
}

// isDocument reports whether a text in a folder is a document by its name, and not code or a
// configuration.
func isDocument(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case "", ".txt", ".text", ".log", ".rst", ".org", ".adoc", ".asciidoc", ".tex":
		return true
	}
	return false
}

func filesOf(folder string, o Options) ([]file, error) {
	var files []file
	err := filepath.WalkDir(folder, func(p string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != folder && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		case len(files) == maxFolder:
			return hippo.Fieldf("folder", "must have at most %d files: give a folder in it", maxFolder)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, p)
		files = append(files, file{path: p, name: filepath.ToSlash(name), modified: info.ModTime().UTC(), options: o})
		return err
	})
	return files, err
}
