package restapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ofSync lists the operations about the remotes of the store. To begin or join, and to invite, is up to the command line of the machine: that
// takes paths and keys of its own.
func ofSync() []operation {
	list := []operation{
		{
			method: get, path: "/sync", id: "syncStatus", summary: "Describe the remotes of the store, their machines, and the conflicts of a week", rights: operator,
			input: func() input { return &syncStatusInput{} }, answer: wire.SyncStatus{},
		},
		{
			method: http.MethodDelete, path: "/sync", id: "syncRemove", summary: "Stop syncing with a remote; the memories and the remote stay as they are", rights: operator,
			input: func() input { return &syncRemoveInput{} }, answer: syncRemoved{},
		},
	}
	for _, v := range wire.SyncVerbs() {
		list = append(list, operation{
			method: post, path: "/sync/" + v.Name, id: "sync" + strings.ToUpper(v.Name[:1]) + v.Name[1:], summary: v.Summary, rights: operator,
			input: func() input {
				if v.OfMachine {
					return &syncMachineInput{syncInput: syncInput{v}}
				}
				return &syncInput{v}
			}, answer: syncOutcomes{}, long: true,
		})
	}
	return list
}

type syncStatusInput struct{}

func (*syncStatusInput) Args() []verb.Arg { return nil }

func (*syncStatusInput) call(ctx context.Context, r *request) (reply, error) {
	st, err := r.server.Sync.Status(ctx)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.SyncStatusOf(st), count: len(st.Remotes)}, nil
}

type syncRemoveInput struct{ verb.Carrier }

// syncRemoved says whether that was the last remote.
type syncRemoved struct {
	Removed bool `json:"removed"`
	Last    bool `json:"last"`
}

func (in *syncRemoveInput) call(ctx context.Context, r *request) (reply, error) {
	out := syncRemoved{Removed: true}
	err := r.server.Sync.Use(ctx, func(x *exchange.Remotes) (err error) {
		out.Last, err = x.Remove(ctx, exchange.Carrier(in.Carrier.Carrier))
		return err
	})
	return reply{status: http.StatusOK, data: out, count: 1}, err
}

// syncInput asks for a verb on all remotes.
type syncInput struct{ wire.SyncVerb }

func (*syncInput) Args() []verb.Arg { return nil }

// syncOutcomes are what was done with each remote.
type syncOutcomes struct {
	Remotes []wire.SyncOutcome `json:"remotes"`
}

func (in *syncInput) call(ctx context.Context, r *request) (reply, error) { return in.do(ctx, r, "") }

func (in *syncInput) do(ctx context.Context, r *request, machine string) (reply, error) {
	var out syncOutcomes
	err := r.server.Sync.Use(ctx, func(x *exchange.Remotes) (err error) {
		out.Remotes, err = in.Do(ctx, x, machine)
		return err
	})
	return reply{status: http.StatusOK, data: out, count: len(out.Remotes)}, err
}

// syncMachineInput is a syncInput about a machine.
type syncMachineInput struct {
	syncInput
	verb.Machine
}

// Args implements [verb.Object].
func (in *syncMachineInput) Args() []verb.Arg { return in.Machine.Args() }

func (in *syncMachineInput) call(ctx context.Context, r *request) (reply, error) {
	return in.do(ctx, r, in.Machine.Machine)
}
