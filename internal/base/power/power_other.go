//go:build !windows

package power

func systemOnBattery() bool { return false }
