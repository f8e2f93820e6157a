package wire

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Reinforced is what votes did, as JSON.
type Reinforced struct {
	Reinforced []Effect `json:"reinforced"`
}

// Effect is what a vote did to the importance as of today.
type Effect struct {
	UUID   hippo.ID `json:"uuid"`
	Before float64  `json:"before"`
	After  float64  `json:"after"`
}

// ReinforcedOf returns the effects of votes, with six decimals.
func ReinforcedOf(list []api.Reinforcement) Reinforced {
	const decimals = 6
	out := Reinforced{make([]Effect, len(list))}
	for i, r := range list {
		out.Reinforced[i] = Effect{r.ID, Round(r.Before, decimals), Round(r.After, decimals)}
	}
	return out
}
