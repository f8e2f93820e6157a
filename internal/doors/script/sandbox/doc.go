// Package sandbox evaluates Starlark programs in a child process.
//
// [Run] starts the child, which evaluates and nothing else: each function that the program may call
// is answered by the parent, over pipes. The child has an empty environment and no file but its three
// pipes, and Starlark has no way to reach files, the network, or the clock.
//
// Four things bound a program. Steps and the size of its output are counted by the evaluator. Memory is
// bounded in the child: on Linux by RLIMIT_AS, which fails the allocation, and everywhere by a
// watchdog that ends the process when the runtime holds too much. The watchdog also bounds the processor
// time between two calls, so that a busy machine fails no program; the parent kills a child that does not answer, or
// takes too long in all, and RLIMIT_CPU holds when the parent is gone.
package sandbox

import "time"

// The limits of a program. They are the same for all, so that programs are portable.
const (
	// MaxProgram is the largest program, in bytes.
	MaxProgram = 64 << 10
	// MaxSteps is how many steps of the evaluator a program may take: some 0.3 s.
	MaxSteps = 20_000_000
	// MaxMemory is how much memory the child may hold, in bytes.
	MaxMemory = 256 << 20
	// MaxOutput is the most text that a program may print or return, in bytes.
	MaxOutput = 1 << 20
	// MaxCalls is how many functions of the parent a program may call.
	MaxCalls = 1000
	// MaxCompute is the processor time that a program may take without a call to the parent.
	MaxCompute = time.Second
	// MaxTime is how long a program may take in all, with its calls.
	MaxTime = 60 * time.Second
	// maxCPU is the processor time of the child in seconds.
	maxCPU = 10
	// maxFrame is the largest message between the two processes, in bytes.
	maxFrame = 32 << 20
	// maxStack is the largest stack of the evaluator, in bytes: values that nest deeper than some
	// 100,000 times exceed it.
	maxStack = 64 << 20
)
