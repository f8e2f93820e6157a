package cli_test

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// A server that cannot listen because another one does says what to do about that; it said to check the permissions of the store.
func TestServe_AddressInUse(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, home)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // the end of the test
	var out, errw bytes.Buffer
	args := []string{"hippo", "serve", "--store", "sqlite:" + filepath.Join(home, "m.db"), "--http", l.Addr().String()}
	code := cli.Main(t.Context(), args, strings.NewReader(""), &out, &errw)
	if text := errw.String(); code != 1 || !strings.Contains(text, "another program may listen there") || strings.Contains(text, "permissions") {
		t.Errorf("exit code %d: %s", code, text)
	}
}
