package index

import (
	"runtime"
	"slices"

	"github.com/hippo-memory/hippo/internal/base/batching"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// maxShared is the number of searches that share a scan: the cosines of all of them are written meanwhile.
const maxShared = 16

// scans carries out the scans of vectors, those of several searches together: most of a scan is to read the vectors from
// memory.
type scans = batching.Queue[[]vector.Query]

// newScans leaves half of the processors to what searches do beside scans. A scan may panic, see [upkeep.guardRead].
func newScans() *scans {
	return batching.New(runtime.GOMAXPROCS(0)/2, maxShared, func(lists [][]vector.Query) {
		vector.ScanAll(slices.Concat(lists...))
	})
}
