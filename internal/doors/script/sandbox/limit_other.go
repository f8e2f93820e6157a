//go:build !linux && !darwin

package sandbox

// limitProcess does nothing here: the watchdog bounds memory, and the parent time.
func limitProcess() error { return nil }
