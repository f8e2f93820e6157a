package main

import (
	"context"
	"io"

	"github.com/hippo-memory/hippo/internal/rank"
)

func playRivals(ctx context.Context, w io.Writer, m models, weights *rank.Weights) error { return nil }
