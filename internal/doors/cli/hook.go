package cli

import (
	"context"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents"
	"github.com/hippo-memory/hippo/internal/config"
)

// hookMemory is the size of the heap in bytes from which on a hook collects garbage.
const hookMemory = 256 << 20

func newHookCommand(s *shell) *cobra.Command {
	var client string
	c := &cobra.Command{
		Use:   "hook EVENT --client NAME",
		Short: "Handle a hook event of an agent: JSON on stdin, text for the model on stdout",
		Long: "Handle a hook event of an agent: JSON on stdin, text for the model on stdout.\n" +
			"It ends within 200 ms and always with exit code 0; failures are logged in hook.log.\n" +
			"hippo setup registers it.\n\nEvents: " + strings.Join(agents.HookEvents(), " ") + "\n\nClients: " + strings.Join(agents.HookClients(), " "),
		RunE: func(c *cobra.Command, args []string) error {
			// A crash must not end with exit code 2, by which a client blocks the prompt.
			debug.SetTraceback("crash")
			// The process ends before a collection would pay. The limit is for a huge input.
			debug.SetGCPercent(-1)
			debug.SetMemoryLimit(hookMemory)
			return runHook(c.Context(), s, args, client)
		},
	}
	c.Flags().StringVar(&client, "client", "", "the agent that calls")
	return c
}

// isHook reports whether a command is that of hooks, whose failures the client must not see.
func isHook(c *cobra.Command) bool { return c.Name() == "hook" }

// runHook prints the answer to an event.
func runHook(ctx context.Context, s *shell, args []string, client string) error {
	if len(args) != 1 {
		return usagef("want one event, got %d", len(args))
	}
	h := agents.Hook{Event: args[0], Client: client, In: s.in, Timeout: s.hookTimeout, Settings: s.config, Now: s.now, Spawn: s.spawn}
	out, err := h.Answer(ctx)
	if len(out) > 0 {
		if _, err := s.out.Write(out); err != nil {
			return err
		}
	}
	return err
}

// beside returns what runs beside an agent with a configuration.
func beside(s *shell, cfg config.Config) *agents.Runner {
	return &agents.Runner{Config: cfg, Now: s.now, Log: s.logger(cfg)}
}
