//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// A command reads its settings once: what it warns of, what it does and what it logs go by the same file. Here the file is
// replaced by a broken one while it is read for the first time.
func TestCommands_ReadSettingsOnce(t *testing.T) {
	dir := t.TempDir()
	for name, value := range environment(dir) {
		t.Setenv(name, value)
	}
	t.Chdir(dir)
	path, broken := filepath.Join(dir, "config.toml"), filepath.Join(dir, "broken.toml")
	t.Setenv("HIPPO_CONFIG", path)
	if err := os.WriteFile(broken, []byte("store ="), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("this file system cannot hold a named pipe: %v", err)
	}
	written := make(chan error, 1)
	go func() {
		written <- func() error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			if err := os.Rename(broken, path); err != nil {
				return err
			}
			_, err = f.WriteString("model = \"none\"\nmodell = \"none\"\n")
			return err
		}()
	}()
	var out, errw bytes.Buffer
	code := cli.MainAt(t.Context(), time.Now, []string{"hippo", "record", "Tabs, not spaces"}, strings.NewReader(""), &out, &errw)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if code != 0 || !strings.Contains(errw.String(), "modell has no effect") {
		t.Errorf("exit code %d: %s%s", code, &out, &errw)
	}
}
