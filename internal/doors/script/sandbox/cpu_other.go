//go:build !unix

package sandbox

import "time"

// maxSilence is how long the parent waits for a child that does not call, which bounds its time here.
const maxSilence = 3 * MaxCompute / 2

// cpuTime returns 0: the processor time is unknown here, and the parent bounds time.
func cpuTime() time.Duration { return 0 }
