package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

// pathFlag is a flag for a path of this machine. It keeps the absolute form, see [config.Expand].
type pathFlag struct{ to *string }

// addPath adds such a flag.
func addPath(f *pflag.FlagSet, to *string, name, usage string) { f.Var(pathFlag{to}, name, usage) }

// Set implements [pflag.Value].
func (p pathFlag) Set(text string) (err error) {
	if *p.to = ""; text == "" {
		return nil
	}
	*p.to, err = config.Expand("", text)
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return errors.New(bad.Why) // pflag names the flag
	}
	return err
}

// Type implements [pflag.Value]: it is how help shows the value.
func (pathFlag) Type() string { return "path" }

// String implements [pflag.Value].
func (p pathFlag) String() string {
	if p.to == nil {
		return ""
	}
	return *p.to
}
