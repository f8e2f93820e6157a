package main

import (
	"os"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/script"
)

// TestMain makes the test binary the process of a program, as main does.
func TestMain(m *testing.M) {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// What a model pays stays within the bounds.
func TestTokens(t *testing.T) {
	t.Parallel()
	rows, err := measureProduct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := exceeded(rows); err != nil {
		t.Error(err)
	}
	bounds := 0
	for _, r := range rows {
		if r.Result == 0 {
			t.Errorf("%s: no tokens", r.What)
		}
		if r.Most > 0 {
			bounds++
		}
	}
	if bounds < 6 {
		t.Errorf("%d bounds: %+v", bounds, rows)
	}
}
