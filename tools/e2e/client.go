package main

import "slices"

// client is a program that is driven.
type client struct {
	// name is that of hippo setup, program that of its command.
	name, program string
	// seed are files of the user that are there before setup, by their path in the home folder. MODEL stands for
	// the address of the model.
	seed map[string]string
	// needs is the folder of its home into which it would install, at its first start, the packages of npm/NAME.
	needs string
	// env are variables that make it talk to the model, and to nobody else.
	env []string
	// start and resume are the arguments that begin a session with a prompt, and continue the latest one.
	start, resume []string
	// connected are the arguments that list its servers, and pattern is what the list says of one that works.
	connected []string
	pattern   string
	// shell is the tool that runs a command.
	shell call
	// validate are the arguments that check the folder of a plugin; nil if it has no such command.
	validate []string
}

// clients returns the programs. Their versions, those that docs/setup.md calls seen running, are pinned in npm.
func clients() []client {
	codex := []string{"--skip-git-repo-check", "--dangerously-bypass-hook-trust"}
	return []client{
		{
			name: "claude-code", program: "claude",
			seed: map[string]string{".claude.json": `{"numStartups": 1}` + "\n", ".claude/settings.json": "{}\n"},
			env: []string{
				"ANTHROPIC_BASE_URL=MODEL", "ANTHROPIC_API_KEY=none", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			},
			start:     []string{"--allowedTools=mcp__hippo__hippo_record_insight,Bash", "-p"},
			resume:    []string{"--allowedTools=mcp__hippo__hippo_record_insight,Bash", "--continue", "-p"},
			shell:     call{tool{name: "Bash"}, `{"command":"COMMAND","description":"apply"}`},
			connected: []string{"mcp", "list"}, pattern: "hippo: .*Connected",
			validate: []string{"plugin", "validate"},
		},
		{
			name: "codex", program: "codex",
			seed:  map[string]string{".codex/config.toml": "# mine\nmodel = \"mock\"\nmodel_provider = \"mock\"\n\n[model_providers.mock]\nname = \"mock\"\nbase_url = \"MODEL/v1\"\nwire_api = \"responses\"\n"},
			start: slices.Concat([]string{"exec"}, codex), resume: slices.Concat([]string{"exec", "resume", "--last"}, codex),
			shell:     call{tool{name: "exec_command"}, `{"cmd":"COMMAND"}`},
			connected: []string{"mcp", "get", "hippo", "--json"}, pattern: `"enabled": true`,
		},
		{
			name: "gemini", program: "gemini",
			seed: map[string]string{
				".gemini/settings.json":      "{\n  // mine\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}\n}\n",
				".gemini/policies/mine.toml": "[[rule]]\ntoolName = [\"run_shell_command\", \"mcp_hippo_hippo_record_insight\"]\ndecision = \"allow\"\npriority = 100\n",
			},
			env:       []string{"GOOGLE_GEMINI_BASE_URL=MODEL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"},
			start:     []string{"--model", "gemini-2.5-flash", "-p"},
			resume:    []string{"--model", "gemini-2.5-flash", "--resume", "latest", "-p"},
			shell:     call{tool{name: "run_shell_command"}, `{"command":"COMMAND","description":"apply"}`},
			connected: []string{"mcp", "list"}, pattern: "hippo.*Connected",
		},
		{
			name: "opencode", program: "opencode",
			seed:  map[string]string{".config/opencode/opencode.jsonc": "{\n  // mine\n  \"model\": \"mock/m\",\n  \"provider\": {\"mock\": {\"npm\": \"@ai-sdk/openai-compatible\", \"name\": \"mock\", \"options\": {\"baseURL\": \"MODEL/v1\", \"apiKey\": \"none\"}, \"models\": {\"m\": {\"name\": \"m\", \"tool_call\": true}}}},\n}\n"},
			env:   []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
			needs: ".config/opencode",
			start: []string{"run"}, resume: []string{"run", "--continue"},
			shell:     call{tool{name: "bash"}, `{"command":"COMMAND","description":"apply"}`},
			connected: []string{"mcp", "list"}, pattern: "hippo.*connected",
		},
	}
}
