package wire

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/preview"
)

// Preview is the part of a content that is shown.
type Preview = preview.Preview

// PreviewOf returns at most n characters of the content of a hit (n > 0), see [preview.Of].
func PreviewOf(h *hippo.Hit, n int) Preview {
	return preview.Of(h.Memory.Content, h.Excerpt, n)
}
