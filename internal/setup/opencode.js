// Written by "hippo setup"; "hippo setup opencode --remove" removes it.
import { spawn } from "node:child_process";

const command = COMMAND;
const deadline = 2000; // milliseconds; after that the session goes on without an answer

// hook runs a hook and returns the context that it gives; empty after any failure.
const hook = (event, input) =>
  new Promise((resolve) => {
    try {
      const child = spawn(command[0], ["hook", event, ...command.slice(1)], { cwd: input.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
      const timer = setTimeout(() => { child.kill(); resolve(""); }, deadline);
      let out = "";
      child.stdout.on("data", (text) => { out += text; });
      child.on("error", () => { clearTimeout(timer); resolve(""); });
      child.on("close", () => {
        clearTimeout(timer);
        try { resolve(JSON.parse(out).hookSpecificOutput.additionalContext || ""); } catch { resolve(""); }
      });
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...input }));
    } catch { resolve(""); }
  });

export const Hippo = async ({ directory }) => {
  const started = new Set(); // sessions that have had their first message
  return {
    "chat.message": async (input, output) => {
      try {
        const text = output.parts.find((part) => part.type === "text" && !part.synthetic);
        if (!text) return;
        const session = { session_id: input.sessionID, cwd: directory };
        const found = [];
        if (!started.has(input.sessionID)) {
          started.add(input.sessionID);
          found.push(await hook("session-start", { ...session, source: "startup", prompt: text.text }));
        }
        found.push(await hook("user-prompt", { ...session, prompt: text.text }));
        const context = found.filter(Boolean).join("\n\n");
        if (context) output.parts.push({ ...text, id: `${text.id}hippo`, synthetic: true, text: context });
      } catch {}
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") await hook("stop", { session_id: event.properties.sessionID, cwd: directory });
    },
  };
};
