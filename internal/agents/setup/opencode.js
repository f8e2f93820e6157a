// Written by "hippo setup"; "hippo setup opencode --remove" removes it.
import { spawn } from "node:child_process";

const command = COMMAND;
const deadline = 2000; // milliseconds; after that the session goes on without an answer
const recent = 60; // messages at the end of a session that are looked at when a turn is over
const longest = 4000; // characters of the output of a tool that are looked at

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

// clipped returns a message without what the hook does not read: pictures, snapshots, long outputs.
const clipped = ({ info, parts }) => ({
  info,
  parts: parts.filter((part) => part.type === "text" || part.type === "tool").map((part) => {
    if (part.type === "text") return part;
    const { status, input, output, error, metadata } = part.state;
    return { ...part, state: { status, input, error, output: output?.slice(-longest), metadata: { exit: metadata?.exit } } };
  }),
});

export const Hippo = async ({ client, directory }) => {
  const started = new Set(); // sessions that have had their first message
  let ending = Promise.resolve(); // the work after the turns that are over

  // finish passes on the end of a session, which the hook looks through for what is worth keeping.
  const finish = async (id) => {
    try {
      const path = { id };
      const [info, messages] = await Promise.all([client.session.get({ path }), client.session.messages({ path, query: { limit: recent } })]);
      const transcript = { info: info.data, messages: messages.data.slice(-recent).map(clipped) };
      await hook("stop", { session_id: id, cwd: directory, transcript });
    } catch {}
  };

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
    "tool.execute.after": async (input, output) => {
      try {
        const exit = output.metadata?.exit;
        if (!exit) return; // only commands have an exit code; 0 is no failure
        const context = await hook("post-tool", { session_id: input.sessionID, cwd: directory, tool_response: { stdout: output.output.slice(-longest), exit_code: exit } });
        if (context) output.output += `\n\n${context}`;
      } catch {}
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") ending = ending.then(() => finish(event.properties.sessionID));
    },
    dispose: () => ending, // "opencode run" ends with the turn
  };
};
