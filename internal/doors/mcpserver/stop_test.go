package mcpserver_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
)

// A session that is cancelled while it answers what was received before the
// input ended says so, and not that all was answered.
func TestStop_AfterTheInputEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, err := mcpserver.Stdio(strings.NewReader(ping("1")), io.Discard).Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // it never fails
		if _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := c.Read(t.Context())
			ended <- err
		}()
		synctest.Wait() // it waits for the answer to the ping, which nobody gives
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}
