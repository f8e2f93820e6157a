//go:build !unix

package walk

// noWait: there are no named pipes among files.
const noWait = 0
