package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The Dockerfile that is delivered is one that this program packs, to the same bytes each time.
func TestBuild(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseStage(string(text))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, name := range []string{"etc", "volume", "volume/data"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "hippo"), []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	var digests []string
	for range 2 {
		image, err := s.build(root, "arm64")
		if err != nil {
			t.Fatal(err)
		}
		d, err := image.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, d.String())
		c, err := image.ConfigFile()
		if err != nil || c.Config.User != "65532:65532" || c.Architecture != "arm64" || !slices.Equal(c.Config.Entrypoint, []string{"/hippo"}) || len(c.Config.Cmd) < 5 || len(c.Config.Env) < 5 {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("the digests are %v", digests)
	}
}

func TestParseStage_Refuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"FROM debian", "not from scratch"},
		{"FROM scratch\nRUN true", "RUN"},
		{"FROM scratch\nCOPY x /y", "COPY"},
		{"FROM scratch\nCOPY --from=other /image/x /y", "--from=other"},
		{"FROM scratch\nCOPY --from=program /image/x y", "absolute"},
		{"FROM scratch\nCOPY --from=program --chown=me /image/x /y", "me"},
		{"FROM scratch\nCMD serve", "CMD"},
	} {
		if _, err := parseStage(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
