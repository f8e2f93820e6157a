package web

import (
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
)

// statusBody is the state of the memory and its growth.
type statusBody struct {
	Status wire.Status
	Models []string
	Chart  chart
	// Points are the columns of the chart as JSON: Unix times, memories recorded, and memories in all.
	Points string
}

func showStatus(v *visit) (page, error) {
	ctx := v.r.Context()
	st, err := v.memories.Status(ctx)
	if err != nil {
		return page{}, err
	}
	times, err := engine.Created(ctx, v.memories, engine.ListQuery{Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}})
	if err != nil {
		return page{}, err
	}
	b := statusBody{Status: wire.StatusOf(&st), Chart: newChart(v, times, hippo.Filter{})}
	b.Status.Version, b.Status.Namespace = v.options.Version, v.caller.Scope.Namespace
	if v.caller.Scope.Allows(hippo.RightAdmin) {
		b.Status.Store = v.options.Store
	}
	for i := range b.Status.Models {
		b.Models = append(b.Models, b.Status.Models[i].Text())
	}
	columns := make([][]int64, 3)
	for i := range b.Chart.Bars {
		x := &b.Chart.Bars[i]
		columns[0], columns[1], columns[2] = append(columns[0], x.Start.Unix()), append(columns[1], int64(x.Count)), append(columns[2], int64(x.Total))
	}
	points, err := json.Marshal(columns)
	b.Points = string(points)
	return page{Name: "status", Title: "Status", Body: b}, err
}
