package engine

import "runtime"

// Turns are [Turns].
type Turns struct{ *turns }

// NewTurns returns turns of most searches at a time, which admit others when low are left.
func NewTurns(most, low int) Turns { return Turns{&turns{most: most, low: low}} }

// State returns how many searches are under way and wait.
func (t Turns) State() (under, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.under, len(t.waiting)
}

// Wait lets searches come until some wait.
func (t Turns) Wait(n int) {
	for waiting := -1; waiting != n; {
		runtime.Gosched()
		_, waiting = t.State()
	}
}

// GroupBroken groups a graph that is none, and returns the error.
func GroupBroken() error {
	_, err := group(nil)
	return err
}
