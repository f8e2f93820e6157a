package batching

// Waiting is the number of requests that wait.
func (q *Queue[R]) Waiting() int { return q.count() }

// Held says which places of those that wait hold a request, whether it waits or not.
func (q *Queue[R]) Held() []bool {
	all := q.waiting[:cap(q.waiting)]
	out := make([]bool, len(all))
	for i, r := range all {
		out[i] = r != nil
	}
	return out
}
