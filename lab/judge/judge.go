// Package judge asks systems the questions of evaluation sets.
package judge

import (
	"context"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// All measures every system on every set, one question at a time, with the system's clock. Errors: those of [eval.Measure].
func All(ctx context.Context, sets []*eval.Set, systems []eval.System) (eval.Report, error) {
	var report eval.Report
	var rows []eval.Row
	for _, s := range sets {
		s = s.Asked()
		r := s.Report()
		for i := range systems {
			row, err := eval.Measure(ctx, s, &systems[i], nil, nil)
			if err != nil {
				return eval.Report{}, err
			}
			r.Rows, rows = append(r.Rows, row), append(rows, row)
		}
		report.Sets = append(report.Sets, r)
	}
	report.All = eval.Totals(rows)
	return report, nil
}
