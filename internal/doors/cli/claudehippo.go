package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo/internal/config"
)

// foreignFlag is a flag of claude-hippo that has another name here, or no effect.
type foreignFlag struct {
	name string
	flag bool
	// same is the value that changes nothing, note what to know of any other; empty: the flag means something here.
	same, note string
}

// foreignFlags are the flags of claude-hippo that are not flags of this program as they are. Each is also read from the
// variable HIPPO_ and its name.
func foreignFlags() []foreignFlag {
	return []foreignFlag{
		{name: "embedding-backend"},
		{name: "embedding-model"},
		{name: "external-embedding-url"},
		{name: "external-embedding-model"},
		{name: "external-embedding-api-key-env", same: "NONE", note: "the key of an endpoint is read from HIPPO_MODEL_KEY"},
		{name: "external-embedding-timeout-ms", same: "5000", note: "the timeout of an endpoint is fixed"},
		{name: "external-embedding-batch-size", same: "64", note: "the size of a batch follows from the endpoint"},
		{name: "external-embedding-max-retries", same: "3", note: "the number of retries is fixed"},
		{name: "prediction-loss-backend"},
		{name: "prediction-loss-url"},
		{name: "prediction-loss-model"},
		{name: "prediction-loss-api-key-env", same: "NONE", note: "the key of an endpoint is read from HIPPO_PREDICTION_KEY"},
		{name: "prediction-loss-timeout-ms", same: "5000", note: "the timeout of an endpoint is 5 s"},
		{name: "prediction-loss-max-retries", same: "3", note: "the number of retries is 3"},
		{name: "prediction-loss-scale", same: "6.0", note: "the scale is 6 nats a token"},
		{name: "candle-model-id", note: "--prediction-loss local:FOLDER takes the folder of a model"},
		{name: "candle-cache-dir", note: "--prediction-loss local:FOLDER takes the folder of a model"},
		{name: "candle-cpu", flag: true, same: "true"},
		{name: "model-cache", note: "HIPPO_MODELS names the folder of models"},
		{name: "half-life-days", same: "30", note: "the half-life of surprise is 30 days"},
		{name: "decay-floor", same: "0.5", note: "surprise keeps 0.5 in mode exact of ranker surprise, and 0.8 in the others"},
		{name: "oversample-factor", same: "6", note: "mode exact of ranker surprise has 6, the others rank all that match"},
		{name: "no-hebbian-reinforce", flag: true, same: "false", note: "relations are learned from what is found together, and fade"},
		{name: "co-recall-alpha", same: "0.1", note: "how fast relations are learned is fixed"},
		{name: "anthropic-memory-tool", flag: true, same: "true", note: "the tool memory always answers"},
		{name: "shodh-rest", flag: true, same: "false", note: "hippo serve --http 127.0.0.1:8765 serves SHODH REST, in a process of its own"},
		{name: "shodh-rest-bind", note: "hippo serve --http ADDR serves SHODH REST, in a process of its own"},
	}
}

// knowsClaudeHippo makes a command take the flags and variables of claude-hippo. Help does not show them.
func knowsClaudeHippo(s *shell, c *cobra.Command) *cobra.Command {
	for _, f := range foreignFlags() {
		c.Flags().String(f.name, "", "as claude-hippo has it")
		flag := c.Flags().Lookup(f.name)
		flag.Hidden = true
		if f.flag {
			flag.NoOptDefVal = "true"
		}
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := applyForeign(s, c.Flags()); err != nil {
			return err
		}
		return run(c, args)
	}
	return c
}

// applyForeign sets the settings that the flags and variables of claude-hippo mean, unless they are given, and says which have
// no effect.
func applyForeign(s *shell, given *pflag.FlagSet) error {
	values := make(map[string]string)
	for _, f := range foreignFlags() {
		value := os.Getenv(variableOf(f.name))
		if flag := given.Lookup(f.name); flag.Changed {
			value = flag.Value.String()
		}
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		values[f.name] = value
		if f.note != "" && !sameValue(value, f.same) {
			notice(s, "--%s %s has no effect: %s", f.name, value, f.note)
		}
	}
	settings, notes, err := translate(values)
	if err != nil {
		return err
	}
	for _, note := range notes {
		notice(s, "%s", note)
	}
	flags := s.root.PersistentFlags()
	for _, set := range config.Settings() {
		value, ok := settings[set.Name]
		if !ok || flags.Changed(set.Flag) || os.Getenv(set.Env) != "" {
			continue
		}
		if err := flags.Set(set.Flag, value); err != nil {
			return err
		}
	}
	return nil
}

func variableOf(flag string) string {
	return "HIPPO_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// sameValue compares a value with the one of a table: numbers as numbers, and flags as flags.
func sameValue(a, b string) bool {
	x, bad := strconv.ParseFloat(a, 64)
	y, notNumber := strconv.ParseFloat(b, 64)
	if bad == nil && notNumber == nil {
		return x == y
	}
	set, bad := strconv.ParseBool(a)
	return strings.EqualFold(a, b) || bad == nil && b == strconv.FormatBool(set)
}

// translate returns the settings that flags of claude-hippo mean, and notes on those that mean something else.
func translate(values map[string]string) (settings map[string]string, notes []string, err error) {
	settings = make(map[string]string)
	switch backend := strings.ToLower(values["embedding-backend"]); {
	case slices.Contains([]string{"external", "http", "openai", "openai-compat"}, backend):
		if settings["model"], err = endpointOf(values, "external-embedding", "/embeddings"); err != nil {
			return nil, nil, err
		}
	case slices.Contains([]string{"", "local", "fastembed", "onnx"}, backend):
		switch m := strings.ToLower(values["embedding-model"]); m {
		case "", "minilm-l6-v2": // the built-in model is that one
		case "bge-small-en-v15-q":
			settings["model"] = "bge-small-en-v1.5"
		default:
			return nil, nil, usagef("--embedding-model: must be minilm-l6-v2 or bge-small-en-v15-q, got %q; --model takes others", m)
		}
	default:
		return nil, nil, usagef("--embedding-backend: must be local or external, got %q", backend)
	}
	switch backend := strings.ToLower(values["prediction-loss-backend"]); backend {
	case "":
	case "none":
		settings["prediction-loss"] = config.NoModel
	case "openai-compat":
		settings["prediction-loss"], err = endpointOf(values, "prediction-loss", "/completions")
	case "candle-local":
		notes = append(notes, "--prediction-loss-backend candle-local has no effect: --prediction-loss local:FOLDER takes the folder of a model")
	default:
		err = usagef("--prediction-loss-backend: must be none, openai-compat or candle-local, got %q", backend)
	}
	return settings, notes, err
}

// endpointOf returns the setting for an endpoint. There the address has the path of the request, here it has not.
func endpointOf(values map[string]string, flags, path string) (string, error) {
	url, model := values[flags+"-url"], values[flags+"-model"]
	if url == "" || model == "" {
		return "", usagef("--%s-url and --%s-model are required for this backend", flags, flags)
	}
	return strings.TrimSuffix(strings.TrimSuffix(url, "/"), path) + "#" + model, nil
}
