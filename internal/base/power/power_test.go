package power

import (
	"testing"
	"testing/fstest"
)

// supplies returns a folder of power supplies: name/property, value, ...
func supplies(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1] + "\n")}
	}
	return out
}

func TestDischarging(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		want bool
	}{
		{"a machine without supplies", supplies(), false},
		{"a laptop that is unplugged", supplies("AC/type", "Mains", "AC/online", "0", "BAT0/type", "Battery", "BAT0/status", "Discharging"), true},
		{"one that charges", supplies("AC/type", "Mains", "AC/online", "1", "BAT0/type", "Battery", "BAT0/status", "Charging"), false},
		{"a weak charger", supplies("BAT0/type", "Battery", "BAT0/status", "Discharging", "ZAC/type", "Mains", "ZAC/online", "1"), false},
		{"the second battery", supplies("BAT0/type", "Battery", "BAT0/status", "Full", "BAT1/type", "Battery", "BAT1/status", "Discharging"), true},
		{"a mouse", supplies("hid/type", "Battery", "hid/scope", "Device", "hid/status", "Discharging"), false},
		{"an unknown status", supplies("BAT0/type", "Battery"), false},
	} {
		if got := discharging(c.fs); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDrawsFromBattery(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]bool{
		"Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t57%; discharging; 3:12 remaining present: true\n": true,
		"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged; 0:00 remaining present: true\n":         false,
		"Now drawing from 'AC Power'\n": false,
		"":                              false,
	} {
		if got := drawsFromBattery(out); got != want {
			t.Errorf("%q: %v, want %v", out, got, want)
		}
	}
}
