package cli

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// askToReplace asks, client by client, whether the entry of another program that is named like ours is replaced, if it may ask
// and there is somebody to answer. A client for which nobody agreed is left as it is, and has an error.
func askToReplace(ctx context.Context, s *shell, plans []setup.Plan, mayAsk bool) error {
	for i := range plans {
		p := &plans[i]
		if p.Err != nil || p.Replaces == "" {
			continue
		}
		if mayAsk && s.isTerminal(s.in) {
			question := fmt.Sprintf("%s: replace another program's entry named %s, %s?", p.Client.Title, setup.ServerName, p.Replaces)
			yes, err := ask(ctx, s, termtext.Line(question))
			if err != nil {
				return err
			}
			if yes {
				continue
			}
		}
		p.Decline()
		s.warn("%v", p.Err)
	}
	return nil
}
