package hook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/agents/hook"
)

// task is what a client sends before the tool that starts a subagent runs.
func task(agent, prompt string) object {
	return object{
		"hook_event_name": "PreToolUse", "transcript_path": "/tmp/s.jsonl", "permission_mode": "default", "tool_name": "Task", "tool_use_id": "toolu_1",
		"tool_input": object{"description": "look", "prompt": prompt, "subagent_type": agent},
	}
}

// startOf is what a client sends when a subagent starts: it has no prompt.
func startOf(id, agent string) object {
	return object{"hook_event_name": "SubagentStart", "transcript_path": "/tmp/s.jsonl", "agent_id": id, "agent_type": agent}
}

// A subagent gets what its task reminds of, in the words of each client, also if the session has it; once.
func TestSubagent(t *testing.T) {
	t.Parallel()
	const prompt = "Find out why the gateway panics with a connection reset"
	for name, tc := range map[string]struct {
		client      string
		task, start object
	}{
		"claude-code": {"claude-code", task("Explore", prompt), startOf("a1", "Explore")},
		"claude-code, newer name": {
			"claude-code", object{"tool_name": "Agent", "tool_input": object{"prompt": prompt, "description": "look"}}, startOf("a1", "general-purpose"),
		},
		"vscode": {
			"vscode",
			object{"hookEventName": "PreToolUse", "toolName": "runSubagent", "toolInput": object{"prompt": prompt, "agentName": "Plan"}},
			object{"hookEventName": "SubagentStart", "agentId": "a1", "agentType": "Plan"},
		},
		"codex":            {"codex", object{"tool_name": "spawn_agent", "tool_input": object{"message": prompt, "agent_type": "worker"}}, startOf("a1", "worker")},
		"the start has it": {"codex", nil, object{"agent_id": "a1", "agent_type": "worker", "prompt": prompt}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.run(hook.SessionStart, tc.client, object{"source": "startup"})
			opened := f.opened.Load()
			if out := f.run(hook.PreTool, tc.client, tc.task); out != "" || f.opened.Load() != opened {
				t.Errorf("before the tool: %q", out)
			}
			out := f.run(hook.SubagentStart, tc.client, tc.start)
			if !strings.Contains(out, "certificate expires") || !strings.Contains(out, `"SubagentStart"`) {
				t.Errorf("at its start: %q", out)
			}
			if out := f.run(hook.SubagentStart, tc.client, tc.start); tc.task != nil && out != "" {
				t.Errorf("another one without a task: %q", out)
			}
		})
	}
}

// Of subagents that start beside each other each gets its own; what nobody started is forgotten, and a tool that starts none, a task
// of a word and a folder where nothing is injected leave nothing.
func TestSubagent_Tasks(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.run(hook.PreTool, "claude-code", task("Plan", "Which steps must come before a commit, the linter or the tests"))
	f.run(hook.PreTool, "claude-code", task("Explore", "Find out why the gateway panics with a connection reset"))
	if out := f.run(hook.SubagentStart, "claude-code", startOf("a1", "Explore")); !strings.Contains(out, "gateway") {
		t.Errorf("Explore: %q", out)
	}
	if out := f.run(hook.SubagentStart, "claude-code", startOf("a2", "Plan")); !strings.Contains(out, "linter") {
		t.Errorf("Plan: %q", out)
	}
	f.run(hook.PreTool, "claude-code", object{"tool_name": "Bash", "tool_input": object{"command": "ls", "prompt": "why does the gateway panic"}})
	f.run(hook.PreTool, "claude-code", task("", "go on"))
	if out := f.run(hook.SubagentStart, "claude-code", startOf("a3", "Explore")); out != "" {
		t.Errorf("without a task: %q", out)
	}
	f.run(hook.PreTool, "claude-code", task("Explore", "Find out why the gateway panics with a connection reset"))
	f.Now = func() time.Time { return noon().Add(time.Hour) }
	if out := f.run(hook.SubagentStart, "claude-code", startOf("a4", "Explore")); out != "" {
		t.Errorf("an hour later: %q", out)
	}
}

// What the session has, a subagent does not have, and the other way round.
func TestSubagent_HasItsOwnContext(t *testing.T) {
	t.Parallel()
	f := start(t)
	failure := func(agent object) object {
		agent["hook_event_name"], agent["error"] = "PostToolUseFailure", "Exit code 1\nthe gateway closed with connection reset"
		return agent
	}
	for _, agent := range []object{{}, {"agent_id": "a1", "agent_type": "Explore"}, {"agent_id": "a2", "agent_type": "Explore"}} {
		if out := f.run(hook.PostTool, "claude-code", failure(agent)); !strings.Contains(out, "certificate expires") {
			t.Errorf("%v: %q", agent, out)
		}
		if out := f.run(hook.PostTool, "claude-code", failure(agent)); out != "" {
			t.Errorf("%v again: %q", agent, out)
		}
	}
}
