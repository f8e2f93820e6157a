package app

import (
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/hippo-memory/hippo/internal/codeindex"
	"github.com/hippo-memory/hippo/internal/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/embed/static"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/models"
)

// OpenCode returns the code indexes of the user, in the cache directory. The caller closes them.
func OpenCode(o *Options) (*codeindex.Library, error) {
	own, err := static.Open(models.Builtin())
	if err != nil {
		return nil, err
	}
	tokens, err := static.OpenWithCode(own, models.Code())
	if err != nil {
		return nil, err
	}
	weights := rank.DefaultWeights()
	now := o.Now
	if now == nil {
		now = time.Now //nolint:forbidigo // the default clock
	}
	return codeindex.NewLibrary(codeindex.Config{
		Dir: filepath.Join(xdg.CacheHome, "hippo", "code"), Parser: symbols.New(filepath.Join(xdg.CacheHome, "hippo", "grammars"), grammar.Limits{}), Model: static.Functions{WithCode: tokens}, Tokens: tokens,
		Weights: &weights, Now: now, Log: o.Log,
	}), nil
}
