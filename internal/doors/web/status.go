package web

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// statusBody is the state of the memory and its growth.
type statusBody struct {
	Facts    []fact
	Degraded []string
	Problems []wire.Problem
	Models   []string
	Chart    chart
	// Points are the columns of the chart as JSON: Unix times, memories recorded, and memories in all.
	Points string
}

func showStatus(v *visit) (page, error) {
	ctx := v.r.Context()
	st, err := memory.Status(ctx, v.memories)
	if err != nil {
		return page{}, err
	}
	times, err := history.Created(ctx, v.memories, api.List{Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}})
	if err != nil {
		return page{}, err
	}
	x := wire.StatusOf(&st)
	b := statusBody{Facts: statusFacts(v, &x), Degraded: x.Degraded, Problems: x.Problems, Chart: newChart(v, times, hippo.Filter{})}
	for i := range x.Models {
		b.Models = append(b.Models, x.Models[i].Text())
	}
	columns := make([][]int64, 3)
	for i := range b.Chart.Bars {
		x := &b.Chart.Bars[i]
		columns[0], columns[1], columns[2] = append(columns[0], x.Start.Unix()), append(columns[1], int64(x.Count)), append(columns[2], int64(x.Total))
	}
	points, err := json.Marshal(columns)
	b.Points = string(points)
	return page{Title: "Status", Head: statusHead(v.assets), Content: statusContent(b)}, err
}

// statusFacts returns what is known of the memory.
func statusFacts(v *visit, x *wire.Status) []fact {
	day, store := fmt.Sprint(x.ActiveDay), ""
	if x.Date != "" {
		day += ", began " + x.Date
	}
	if v.caller.Scope.Allows(hippo.RightAdmin) {
		store = v.options.Store
	}
	return known([]fact{
		{"Memories", strconv.Itoa(x.Memories)},
		{"Forgotten", strconv.Itoa(x.Forgotten)},
		{"Active day", day},
		{"Ranker", string(x.Ranker)},
		{"Namespace", v.caller.Scope.Namespace},
		{"Store", store},
		{"Version", v.options.Version},
	})
}
