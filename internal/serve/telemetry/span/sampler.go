package span

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
)

// sampler decides whether a span is recorded; parent is nil for a root.
type sampler func(parent *Place, trace [16]byte) bool

// samplerOf returns the sampler that the variables name, and what is wrong with them: then another one is used.
func samplerOf(env func(string) string) (sampler, error) {
	name, ratio := strings.ToLower(strings.TrimSpace(env("OTEL_TRACES_SAMPLER"))), 1.0
	kind, byParent := strings.CutPrefix(name, "parentbased_")
	var problem error
	if kind == "traceidratio" {
		if text := strings.TrimSpace(env("OTEL_TRACES_SAMPLER_ARG")); text != "" {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || !(n >= 0 && n <= 1) {
				n, problem = 1, fmt.Errorf("%w: OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, got %.40q", hippo.ErrInvalid, text)
			}
			ratio = n
		}
	}
	var root sampler
	switch kind {
	case "always_off":
		root = func(*Place, [16]byte) bool { return false }
	case "traceidratio":
		bound := uint64(min(ratio*(1<<63), math.MaxInt64))
		root = func(_ *Place, trace [16]byte) bool {
			return ratio == 1 || binary.BigEndian.Uint64(trace[8:])>>1 < bound
		}
	default:
		byParent = byParent || name != "always_on"
		root = func(*Place, [16]byte) bool { return true }
		if name != "" && kind != "always_on" {
			problem = fmt.Errorf("%w: OTEL_TRACES_SAMPLER is no sampler: %.40q", hippo.ErrInvalid, name)
		}
	}
	if !byParent {
		return root, problem
	}
	return func(parent *Place, trace [16]byte) bool {
		if parent != nil {
			return parent.Sampled
		}
		return root(nil, trace)
	}, problem
}
