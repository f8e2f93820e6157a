package cli

import (
	"time"

	"github.com/spf13/pflag"
)

// today is the time in the zone of the user's days.
func today(s *shell) time.Time { return s.now().In(zone()) }

// addAll adds the flag for all projects.
func addAll(v *pflag.FlagSet, to *bool) {
	v.BoolVar(to, "all", false, "of all projects; without it, of the current one and of none; --project NAME keeps to one, --project none to none")
}
