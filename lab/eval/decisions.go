package main

import (
	"context"
	"io"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/lab/eval/decisions"
)

// writeDecisions measures whether decisions stay ahead of the chat around them, with the surprise that is the default.
func (m *measurement) writeDecisions(ctx context.Context, w io.Writer) error {
	surprise, err := app.Surprise(&config.Config{})
	if err != nil {
		return err
	}
	return decisions.Write(ctx, w, &decisions.Options{Backend: m.Engine.Backend, Models: m.Models, Tokens: m.Engine.Tokens, Surprise: surprise})
}
