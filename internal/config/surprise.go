package config

import (
	"errors"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Adaptive is the prediction loss by the texts of the store itself.
const Adaptive = "adaptive"

// localPrefix begins the setting of a language model in a folder.
const localPrefix = "local:"

// Surprise is how the surprise of what is recorded is computed. The zero value is the default.
type Surprise struct {
	// Mode is "nearest", "claude-hippo" or "off"; empty means "nearest".
	Mode string
	// Weights are four numbers with commas between them; empty: those of the mode.
	Weights string
	// Loss is the setting of the prediction loss: "none", "adaptive", "local:FOLDER" or that of an endpoint; empty means "none".
	Loss string
	// Folder is that of a language model, if Loss is one.
	Folder string
	// Endpoint is set if Loss is one.
	Endpoint Model
}

// ParseSurprise reads the three settings. The key of an endpoint is in HIPPO_PREDICTION_KEY or the file that
// HIPPO_PREDICTION_KEY_FILE names: another server than that of the embedding model gets another key.
func ParseSurprise(mode, weights, loss string, env func(string) string) (Surprise, error) {
	s := Surprise{Mode: mode, Weights: weights, Loss: loss}
	if mode != "" {
		if err := hippo.OneOf("surprise", mode, "nearest", "claude-hippo", "off"); err != nil {
			return s, err
		}
	}
	folder, local := strings.CutPrefix(loss, localPrefix)
	switch {
	case local && strings.TrimSpace(folder) == "":
		return s, hippo.Fieldf("prediction-loss", "must name the folder of a model after local:")
	case local:
		var err error
		s.Folder, err = expandFolder("prediction-loss", folder)
		return s, err
	case loss == "", loss == NoModel, loss == Adaptive:
		return s, nil
	case !strings.Contains(loss, "://"):
		return s, hippo.Fieldf("prediction-loss", "must be none, adaptive, local:FOLDER or URL#NAME, got %.60q", loss)
	}
	var err error
	s.Endpoint, err = parseModel("prediction-loss", loss, "HIPPO_PREDICTION_KEY", env)
	if err == nil && errors.Is(s.Endpoint.Problem, hippo.ErrInvalid) {
		err = s.Endpoint.Problem
	}
	return s, err
}
