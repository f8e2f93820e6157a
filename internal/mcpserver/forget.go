package mcpserver

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
)

const forgetSchema = `{"type":"object","additionalProperties":false,"required":["uuids"],"properties":{
"uuids":{"type":"array","items":{"type":"string","format":"uuid"}},
"restore":{"type":"boolean"},
"purge":{"type":"boolean"}}}`

type forgetInput struct {
	ids            []hippo.ID
	restore, purge bool
}

func (in *forgetInput) fields() []field {
	return []field{
		{name: "uuids", alias: "uuid", to: &in.ids, required: true},
		{name: "restore", to: &in.restore},
		{name: "purge", to: &in.purge},
	}
}

// forgot is the structured content of forgetting.
type forgot struct {
	Action string     `json:"action"`
	UUIDs  []hippo.ID `json:"uuids"`
}

func (in *forgetInput) call(ctx context.Context, s *session) (reply, error) {
	action, text := "forgotten", "Forgot %s; restore undoes it"
	var err error
	switch {
	case in.restore && in.purge:
		err = hippo.Fieldf("purge", "and restore exclude each other")
	case in.purge:
		action, text = "purged", "Purged %s for good"
		err = s.Purge(ctx, in.ids)
	case in.restore:
		action, text = "restored", "Restored %s"
		_, err = s.Restore(ctx, in.ids)
	default:
		_, err = s.Forget(ctx, in.ids)
	}
	if err != nil {
		return reply{}, err
	}
	return reply{text: fmt.Sprintf(text, insights(len(in.ids))), data: forgot{Action: action, UUIDs: in.ids}}, nil
}
