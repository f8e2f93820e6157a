// Package power reports whether the machine runs on its battery, so that work that can wait does.
package power

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
)

// OnBattery reports whether the machine runs on its battery. It is false where that is not known:
// on systems other than Linux, macOS and Windows, in most containers and virtual machines, and
// after an error. Cost: .1 ms, on macOS a child process of some 10 ms.
func OnBattery(ctx context.Context) bool {
	switch runtime.GOOS {
	case "linux":
		return discharging(os.DirFS("/sys/class/power_supply"))
	case "darwin":
		out, err := exec.CommandContext(ctx, "/usr/bin/pmset", "-g", "batt").Output()
		return err == nil && drawsFromBattery(string(out))
	default:
		return systemOnBattery()
	}
}

// discharging reads the power supplies of Linux: a folder for each, with a file for each property.
// https://docs.kernel.org/power/power_supply_class.html
func discharging(supplies fs.FS) bool {
	list, err := fs.ReadDir(supplies, ".")
	if err != nil {
		return false
	}
	discharges := false
	for _, s := range list {
		property := func(name string) string {
			value, err := fs.ReadFile(supplies, path.Join(s.Name(), name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(value))
		}
		switch property("type") {
		case "Mains":
			if property("online") == "1" {
				return false
			}
		case "Battery":
			// A battery of scope Device is that of a mouse or a keyboard.
			discharges = discharges || property("scope") != "Device" && property("status") == "Discharging"
		}
	}
	return discharges
}

// drawsFromBattery reads what pmset of macOS prints: its first line is
// "Now drawing from 'Battery Power'" or "Now drawing from 'AC Power'".
func drawsFromBattery(out string) bool {
	first, _, _ := strings.Cut(out, "\n")
	return strings.Contains(first, "'Battery Power'")
}
