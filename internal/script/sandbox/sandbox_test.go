package sandbox

import (
	"os"
	"testing"
)

// childArgument makes this test binary a child.
const childArgument = "sandbox-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArgument {
		os.Exit(Child(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
