package consolidate

import (
	"math"
	"math/rand/v2"

	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

const (
	// least is the number of vectors below which nothing is divided.
	least = 4
	// fewest and most bound the number of clusters that is chosen.
	fewest, most = 2, 16
	// same is the cosine distance below which two vectors are one point: codes are right to 1e-4.
	same = 1e-3
)

// clustersFor is the number of clusters of n vectors: round(sqrt(n/2)), from 2 to 16.
// Source: claude-hippo 0.5.
func clustersFor(n int) int {
	return min(max(int(math.Round(math.Sqrt(float64(n)/2))), fewest), most)
}

// kmeans divides vectors of length 1 by their directions.
type kmeans struct {
	codes      []vector.Code // not of Scale 0
	iterations int
	random     *rand.Rand
	centroids  []vector.Code
	// of is the cluster of each vector, cosine that with its centroid.
	of     []int
	cosine []float32
}

// restarts is the number of runs for n vectors, the best of which is taken: one run depends on where it began.
func restarts(n int) int { return min(max(restartWork/n, 1), maxRestarts) }

const (
	// restartWork is the number of vectors that all runs together may look at, and maxRestarts the largest number of runs.
	restartWork, maxRestarts = 1 << 14, 16
)

// divide returns the positions of the members of each cluster, ascending; none is empty. There are at most k, one
// if all vectors are the same point. Equal codes are in one cluster. It is the best of some runs, at least one.
// Sources: Dhillon and Modha, Concept decompositions for large sparse text data using clustering, 2001
// (spherical k-means); Arthur and Vassilvitskii, k-means++, 2007, by cosine distance.
func divide(stop pause, codes []vector.Code, k, runs int, o *Clustering) ([][]int, error) {
	random := rand.New(rand.NewPCG(o.Seed, uint64(len(codes))))
	var best *kmeans
	for range runs {
		m := &kmeans{codes: codes, iterations: o.Iterations, random: random, of: make([]int, len(codes)), cosine: make([]float32, len(codes))}
		if err := m.run(stop, k); err != nil {
			return nil, err
		}
		if best == nil || m.quality() > best.quality() {
			best = m
		}
	}
	return best.members(), nil
}

// run is one run of Lloyd's algorithm.
func (m *kmeans) run(stop pause, k int) error {
	if err := m.begin(stop, k); err != nil {
		return err
	}
	for i := 0; i < m.iterations; i++ {
		changed, err := m.assign(stop)
		if err != nil {
			return err
		}
		if !changed && i > 0 {
			break
		}
		m.reseed()
		if err := m.recompute(stop); err != nil {
			return err
		}
	}
	return nil
}

// quality is the sum of the cosines of the vectors with their centroids.
func (m *kmeans) quality() float64 {
	sum := 0.0
	for _, c := range m.cosine {
		sum += float64(c)
	}
	return sum
}

// begin chooses the first centroids among the vectors, each with a probability in proportion to its distance from
// the nearest one before.
func (m *kmeans) begin(stop pause, k int) error {
	distance := make([]float64, len(m.codes))
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	next := m.random.IntN(len(m.codes))
	for {
		m.centroids = append(m.centroids, m.codes[next])
		if len(m.centroids) == k {
			return nil
		}
		total := 0.0
		for i := range m.codes {
			if err := stop.at(i, checkEvery); err != nil {
				return err
			}
			d := 1 - vector.Cosine(&m.codes[i], &m.codes[next])
			if d < same {
				d = 0
			}
			distance[i] = min(distance[i], d)
			total += distance[i]
		}
		if total == 0 {
			return nil
		}
		next = draw(distance, float64(m.random.Float64()*total))
	}
}

// draw returns the position at which the sum of weights exceeds at, of a weight above 0.
func draw(weights []float64, at float64) int {
	last := 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if at -= w; at < 0 {
			break
		}
	}
	return last
}

// assign gives each vector the nearest centroid, and reports whether that changed.
func (m *kmeans) assign(stop pause) (changed bool, err error) {
	table := vector.NewSized(len(m.codes[0].Hi), len(m.centroids))
	for _, c := range m.centroids {
		table.AppendCode(c)
	}
	var cosines []float32
	for i := range m.codes {
		if err := stop.at(i, checkEvery); err != nil {
			return false, err
		}
		cosines = table.Scan(cosines, &m.codes[i])
		best := 0
		for k, c := range cosines {
			if c > cosines[best] {
				best = k
			}
		}
		changed = changed || m.of[i] != best
		m.of[i], m.cosine[i] = best, cosines[best]
	}
	return changed, nil
}

// reseed gives each empty cluster the vector that is farthest from its centroid, unless all are near theirs.
func (m *kmeans) reseed() {
	size := make([]int, len(m.centroids))
	for _, k := range m.of {
		size[k]++
	}
	for k := range size {
		if size[k] > 0 {
			continue
		}
		far := -1
		for i, c := range m.cosine {
			if size[m.of[i]] > 1 && c < 1-rough && (far < 0 || c < m.cosine[far]) {
				far = i
			}
		}
		if far < 0 {
			return
		}
		size[m.of[far]]--
		size[k]++
		m.of[far], m.cosine[far] = k, 1
	}
}

// rough is the error of a scan, which compares the upper halves of codes only.
const rough = .01

// recompute sets each centroid to the direction of the sum of its members; one without members stays.
func (m *kmeans) recompute(stop pause) error {
	sums := make([][]float64, len(m.centroids))
	for i := range m.codes {
		if err := stop.at(i, checkEvery); err != nil {
			return err
		}
		k := m.of[i]
		if sums[k] == nil {
			sums[k] = make([]float64, len(m.codes[i].Hi))
		}
		add(sums[k], &m.codes[i])
	}
	for k, sum := range sums {
		if sum != nil {
			m.centroids[k] = direction(sum, m.centroids[k])
		}
	}
	return nil
}

// add adds a vector to a sum. The product is rounded before it is added, on every processor.
func add(sum []float64, c *vector.Code) {
	scale, lo := float64(c.Scale), c.Lo[:len(c.Hi)]
	sum = sum[:len(c.Hi)]
	for i, hi := range c.Hi {
		sum[i] += float64(float64(256*int32(hi)+int32(lo[i])) * scale)
	}
}

// direction returns a sum with length 1; otherwise if it has none.
func direction(sum []float64, otherwise vector.Code) vector.Code {
	floats := make([]float32, len(sum))
	for i, x := range sum {
		floats[i] = float32(x)
	}
	if c := unit(vector.Quantize(floats)); c.Scale != 0 {
		return c
	}
	return otherwise
}

// members returns the positions in each cluster that is not empty.
func (m *kmeans) members() [][]int {
	lists := make([][]int, len(m.centroids))
	for i, k := range m.of {
		lists[k] = append(lists[k], i)
	}
	out := lists[:0]
	for _, l := range lists {
		if len(l) > 0 {
			out = append(out, l)
		}
	}
	return out
}
