package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/base/typo"
)

// otherVariables are the variables of the environment that mean something and are no settings. The last two are for the clients
// in other languages and for the examples of the REST interface.
func otherVariables() []string {
	return []string{
		"HIPPO_CONFIG", "HIPPO_MODELS", "HIPPO_MODEL_KEY", "HIPPO_MODEL_KEY_FILE", "HIPPO_PREDICTION_KEY", "HIPPO_PREDICTION_KEY_FILE",
		"HIPPO_TOKEN", "HIPPO_INSECURE_HTTP", "HIPPO_SSH_COMMAND", "HIPPO_BINARY", "HIPPO_URL",
	}
}

// unknownKey says that a key of the file is no setting.
func unknownKey(name, path string) string {
	forms := make(map[string]string)
	for _, s := range Settings() {
		forms[formOf(s.Env)], forms[s.Name] = s.Name, s.Name
	}
	advice := "the settings are " + names()
	if near := nearest(name, forms); near != "" {
		advice = "did you mean " + near + "?"
	}
	return fmt.Sprintf("%s has no effect: it is no setting of this version, in %s; %s", name, path, advice)
}

// ofService matches the variables that Kubernetes sets for a service whose name begins with hippo.
var ofService = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)$`)
})

// unknownVariables returns the notices of variables that mean nothing: neither to this program, nor in the values of settings.
func unknownVariables(present []string, values map[string]string, env func(string) string) (notices []string) {
	if len(present) == 0 { // as at most starts, which need not wait for the names below
		return nil
	}
	forms, used := make(map[string]string), otherVariables()
	for _, s := range Settings() {
		forms[s.Name], forms[formOf(s.Env)] = s.Env, s.Env
		used = append(used, s.Env)
	}
	for _, name := range otherVariables() {
		forms[formOf(name)] = name
	}
	for _, text := range values {
		for _, found := range placeholders(text) {
			used = append(used, variableIn(found))
		}
	}
	for _, name := range present {
		if slices.Contains(used, name) || env("KUBERNETES_SERVICE_HOST") != "" && ofService().MatchString(name) {
			continue
		}
		advice := "hippo help flags lists the settings and their variables"
		if near := nearest(name, forms); near != "" {
			advice = "did you mean " + near + "?"
		}
		notices = append(notices, fmt.Sprintf("the environment variable %s has no effect: this version does not know it; %s", name, advice))
	}
	slices.Sort(notices)
	return slices.Compact(notices)
}

// formOf returns a name of a setting, of its variable, or of something like them in the form in which they are compared.
func formOf(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(name), "_", "-"), "hippo-")
}

// nearest returns what the form that is most similar to a name stands for; empty if none is similar. A third of the letters may
// be wrong.
func nearest(name string, forms map[string]string) string {
	name = formOf(name)
	best, least := "", 1+max(1, len(name)/3)
	for form, what := range forms {
		if d := typo.Distance(name, form, least); d < least || d == least && best != "" && cmp.Less(what, best) {
			best, least = what, d
		}
	}
	return best
}
