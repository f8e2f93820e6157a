package power

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemPowerStatus is SYSTEM_POWER_STATUS of the Windows API.
type systemPowerStatus struct {
	acLine, battery, percent, saver byte
	seconds, fullSeconds            uint32
}

// systemOnBattery asks GetSystemPowerStatus: an AC line of 0 is offline, 255 is unknown.
func systemOnBattery() bool {
	ask := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus")
	if ask.Find() != nil {
		return false
	}
	var s systemPowerStatus
	ok, _, _ := ask.Call(uintptr(unsafe.Pointer(&s))) //nolint:gosec // the function takes a pointer
	return ok != 0 && s.acLine == 0
}
