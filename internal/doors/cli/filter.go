package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// momentFlags are the flags for the moment as of which something is read.
type momentFlags struct{ verb.Moment }

// add adds the flags to a command.
func (f *momentFlags) add(c *cobra.Command) { addArgs(c.Flags(), f.Args()) }

// set sets the moment that the flags say.
func (f *momentFlags) set(s *shell, to *hippo.Moment) (err error) {
	*to, err = f.Moment.Moment(today(s))
	return err
}

// today is the time in the zone of the user's days.
func today(s *shell) time.Time { return s.now().In(zone()) }

// addAll adds the flag for all projects.
func addAll(v *pflag.FlagSet, to *bool) {
	v.BoolVar(to, "all", false, "of all projects; without it, of the current one and of none; --project NAME keeps to one, --project none to none")
}
