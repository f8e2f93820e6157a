package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck finds an error in a file of one system, in a test of one processor, and in
// what a file of one system lacks.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.org/m\n\ngo 1.26\n",
		"p/p.go":            "package p\n\nimport \"strings\"\n\nfunc F() string { return strings.ToUpper(name()) }\n",
		"p/p_linux.go":      "package p\n\nfunc name() string { return \"linux\" }\n",
		"p/p_windows.go":    "package p\n\nfunc name() string { return 1 }\n",
		"p/p_arm64_test.go": "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { t.Logg(F()) }\n",
		"p/p_test.go":       "package p\n\nimport \"testing\"\n\nfunc TestG(t *testing.T) { t.Log(F()) }\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]string{
		"linux/amd64":   "linux/amd64: 3 packages, 0 errors\n",
		"linux/arm64":   "t.Logg undefined",
		"windows/amd64": "cannot use 1",
		"darwin/amd64":  "undefined: name",
	} {
		var out strings.Builder
		ok, err := check(dir, []string{target}, &out)
		if err != nil || ok != strings.Contains(want, "0 errors") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: got %v, %v and\n%s\nwant %q", target, ok, err, out.String(), want)
		}
	}
	if _, err := check(dir, []string{"linux"}, &strings.Builder{}); err == nil {
		t.Error("no error for a target without a processor")
	}
}
