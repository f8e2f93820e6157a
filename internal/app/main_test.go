package app_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func TestMain(m *testing.M) {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran {
		os.Exit(code)
	}
	os.Exit(inCache(m))
}

// inCache runs the tests with a folder for caches that is theirs.
func inCache(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hippo-app-")
	if err == nil {
		err = os.Setenv("XDG_CACHE_HOME", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what stays is in the folder for what may be deleted
	return pgtest.Main(m)
}
