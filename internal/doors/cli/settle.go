package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

const (
	// settleTime is how long a command embeds after its answer before it ends.
	settleTime = 300 * time.Millisecond
	// importTime is how long hippo import embeds where no person can end it with Ctrl-C.
	importTime = time.Minute
)

// settleBriefly embeds what has no vector before a command ends, and returns how many memories remain.
func settleBriefly(ctx context.Context, m *client.Client) (left int) {
	ctx, done := context.WithTimeout(ctx, settleTime)
	defer done()
	return m.Settle(ctx)
}

// handOver starts a process that embeds what a command left, and reports whether one goes on with it.
func handOver(s *shell, c config.Config, left int) bool {
	if left == 0 || s.spawn == nil || c.Background != config.BackgroundOn || !c.Store.Files() {
		return false
	}
	args := []string{"embed", "--pending", "--store", c.Store.String(), "--model", c.Model.Name}
	if !c.Share {
		args = append(args, "--no-share")
	}
	if _, err := s.spawn(args); err != nil {
		s.logger(c).Warn("no process embeds in the background", "error", err)
		return false
	}
	return true
}

// startDetached starts this program with arguments. It has no terminal and holds no stream of this process open, and goes on when this one
// ends. ended is closed when it has ended.
func startDetached(args []string) (ended <-chan struct{}, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, args...) //nolint:noctx // it outlives this process
	c.SysProcAttr = detached()
	if err := c.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Wait() // what it did is in its own log
	}()
	return done, nil
}

// embedPending embeds what has no vector, at low priority, and answers other processes of the store meanwhile. It ends when nothing
// is missing, when another process embeds, and on battery.
func embedPending(ctx context.Context, s *shell, c config.Config) (err error) {
	lowerPriority()
	sharing := app.NewSharing(c, openOptions(s, c), app.SharingOptions{Listens: true})
	defer func() {
		shut, done := context.WithTimeout(context.WithoutCancel(ctx), importTime)
		defer done()
		err = errors.Join(err, sharing.Shut(shut))
	}()
	e, err := sharing.Engine(ctx)
	if err != nil {
		return err
	}
	engine.Settle(ctx, e, engine.Settling{})
	return nil
}

// embedImported embeds what an import added, and shows how far it is. Ctrl-C keeps what is done.
func embedImported(ctx context.Context, s *shell, m *engine.Memories) (left int) {
	if !s.isTerminal(s.errw) {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, importTime)
		defer done()
	}
	bar := newBar(s, 0, "embedding")
	defer bar.finish()
	return engine.Settle(ctx, m.Engine, engine.Settling{Progress: func(done, all int) {
		bar.set(int64(done), int64(all))
	}})
}

// sayUnembedded says how many imported memories have no vector yet, and who embeds them.
func sayUnembedded(s *shell, c config.Config, left int) {
	if left == 0 {
		return
	}
	who := "hippo model use " + c.Model.String() + " embeds them"
	if handOver(s, c, left) {
		who = "a process embeds them in the background; hippo status shows how far it is"
	}
	fmt.Fprintf(s.errw, "hippo: %s without a vector are found by their words so far: %s\n", memories(left), who)
}
