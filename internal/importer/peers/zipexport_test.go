package peers_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/importer/peers"
)

// zipOf makes a zip file of names and contents in turn.
func zipOf(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An export holds the same memories in its zip file and unpacked.
func TestOpen_reads_the_zip_file_of_an_export(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  formats.Kind
		parts []string
	}{
		{peers.KindChatGPT, []string{"chat.html", "<html><body>a page</body></html>", "conversations.json", testdata(t, "chatgpt.json"), "__MACOSX/._conversations.json", "\x00\x05"}},
		{peers.KindChatGPT, []string{"export/conversations-000.json", testdata(t, "chatgpt.json")}},
		{peers.KindClaude, []string{
			"users.json", `[{"uuid":"u","full_name":"Ana","email_address":"ana@example.com"}]`, "conversations.json", testdata(t, "claude-conversations.json"),
			"memories.json", testdata(t, "claude-memories.json"), "projects.json", testdata(t, "claude-projects.json"),
		}},
	} {
		folder := t.TempDir()
		for i := 0; i < len(c.parts); i += 2 {
			name := filepath.Join(folder, filepath.FromSlash(c.parts[i]))
			if strings.HasSuffix(name, ".json") && !strings.Contains(name, "._") {
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(c.parts[i+1]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		unpacked, err := peers.Open(t.Context(), folder, peers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		packed, err := peers.Open(t.Context(), file(t, "export.zip", zipOf(t, c.parts...)), peers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if packed.Kind != c.kind {
			t.Errorf("%s: kind is %s", c.parts[0], packed.Kind)
		}
		sorted := func(s *formats.Source) []string {
			var out []string
			for _, id := range ids(s) {
				out = append(out, id.String())
			}
			slices.Sort(out)
			return out
		}
		want := sorted(unpacked)
		if d := cmp.Diff(want, sorted(packed)); d != "" || len(want) == 0 {
			t.Errorf("%s: %d memories unpacked; (-unpacked +packed):\n%s", c.parts[0], len(want), d)
		}
		trusted(t, packed)
	}
}

// bombOf makes a zip file whose conversations.json declares a size, and unpacks to another.
func bombOf(t testing.TB, declared uint64, unpacked int) []byte {
	t.Helper()
	var body, b bytes.Buffer
	w, err := flate.NewWriter(&body, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	text := `[{"mapping":{}}` + strings.Repeat(" ", unpacked) + `]`
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&b)
	raw, err := z.CreateRaw(&zip.FileHeader{Name: "conversations.json", Method: zip.Deflate, CompressedSize64: uint64(body.Len()), UncompressedSize64: declared})
	if err == nil {
		_, err = raw.Write(body.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpen_names_what_is_wrong_with_the_zip_file_of_an_export(t *testing.T) {
	t.Parallel()
	sealed := zipOf(t, "conversations.json", testdata(t, "chatgpt.json"))
	at := bytes.Index(sealed, []byte("PK\x01\x02")) // the directory, whose flags follow two versions
	binary.LittleEndian.PutUint16(sealed[at+8:], binary.LittleEndian.Uint16(sealed[at+8:])|1)
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"large.zip":  {bombOf(t, 2<<30, 1<<20), "zip: must be at most 1073741824 bytes unpacked: unpack it, and import the folder"},
		"lying.zip":  {bombOf(t, 100_000, 1<<20), "conversations.json: "},
		"sealed.zip": {sealed, "conversations.json: not supported: it is encrypted: unpack it, and import the folder"},
		"other.zip":  {zipOf(t, "a.json", `{"x":1}`, "../b.txt", "text"), "without an export of ChatGPT or Claude: unpack it, and import the folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := contents(t, file(t, name, c.b))
			if last := all[len(all)-1]; !strings.HasPrefix(last, "error: ") || !strings.Contains(last, c.want) {
				t.Errorf("%q does not contain %q", last, c.want)
			}
		})
	}
}
