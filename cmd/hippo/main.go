// Command hippo is a memory for AI agents: an MCP server and a command line on
// one store.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/hippo-memory/hippo/internal/doors/cli"
	"github.com/hippo-memory/hippo/internal/doors/script"
)

func main() {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran { // before anything is read or opened
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	code := cli.Main(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
