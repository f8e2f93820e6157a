package app

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
)

// OpenerOf returns an Opener that opens by a function.
func OpenerOf(open func(context.Context) (*engine.Engine, error)) *Opener { return &Opener{open: open} }
