package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// noticeSettings says once which settings and variables have no effect. The doctor and hooks have places of their own for it,
// and completions none.
func noticeSettings(s *shell, c *cobra.Command) {
	if isHook(c) || slices.Contains([]string{"doctor", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, c.Name()) {
		return
	}
	cfg, _ := s.config() // the command reports what is wrong
	for _, text := range cfg.Notices {
		notice(s, "%s", text)
	}
}

// ownVariables returns the names of the variables of an environment that are meant for this program alone, whether it knows them
// or not: not those of claude-hippo, and not those of tests.
func ownVariables(environ []string) (names []string) {
	const prefix = "HIPPO_"
	foreign := foreignFlags()
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value == "" || !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, prefix+"TEST_") {
			continue
		}
		if !slices.ContainsFunc(foreign, func(f foreignFlag) bool { return variableOf(f.name) == name }) {
			names = append(names, name)
		}
	}
	return names
}
