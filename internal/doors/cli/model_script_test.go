package cli_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestModelScripts runs the scripts on models. Beside the commands of all scripts
// they have:
//
//	model FOLDER [DIMENSION]   makes a small model that knows a few words
//	hub ...                    plays the hub, see hubCommand
//	endpoint ...               plays an OpenAI-compatible server, see endpointCommand
//
// The program sees no setting and no model of the machine's.
func TestModelScripts(t *testing.T) {
	t.Parallel()
	dir, files := scripts(t, filepath.Join("testdata", "script", "model"), "endpoint*.txtar")
	testscript.Run(t, testscript.Params{
		Dir: dir, Files: files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			env := environment(e.WorkDir)
			maps.Copy(env, modelEnvironment(env["HOME"]))
			for name, value := range env {
				e.Setenv(name, value)
			}
			e.Values[sessionsKey{}] = map[string]*session{}
			e.Values[hubKey{}] = &hubServer{}
			e.Values[endpointKey{}] = &endpoint{}
			return os.MkdirAll(env["HOME"], 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":     code,
			"capture":  capture,
			"patch":    patch,
			"truncate": truncate,
			"mcp":      mcpCommand,
			"follow":   follow,
			"model":    modelCommand,
			"hub":      hubCommand,
			"endpoint": endpointCommand,
		},
	})
}

// modelEnvironment is where models and settings are.
func modelEnvironment(home string) map[string]string {
	return map[string]string{
		"HIPPO_CONFIG": filepath.Join(home, "config.toml"), "HIPPO_MODELS": filepath.Join(home, "models"),
		"HIPPO_MODEL": "", "HIPPO_MODEL_KEY": "", "HIPPO_MODEL_KEY_FILE": "", "HF_ENDPOINT": "http://127.0.0.1:1", "HF_TOKEN": "",
	}
}

// truncate cuts a file after its first bytes: truncate FILE SIZE.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE SIZE")
	}
	ts.Check(os.Truncate(ts.MkAbs(args[0]), int64(number(ts, args[1]))))
}
