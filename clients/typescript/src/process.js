// One child process, `hippo serve`, that answers calls over stdio.
import { spawn } from "node:child_process";
import { ConnectionLost, HippoError, ProgramNotFound, TimedOut, errorOf } from "./errors.js";

const PROTOCOL = "2025-06-18";
// How long the program may take to end by itself when its input is closed, in milliseconds.
const GRACE = 5000;

export class Process {
  #child;
  #pending = new Map();
  #ids = 0;
  #parts = [];
  #log = "";
  #done;
  ended = null;

  constructor(binary, args, env) {
    this.#child = spawn(binary, args, { env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    this.#done = new Promise((resolve) => {
      this.#child.once("error", (e) => {
        this.#end(new ProgramNotFound(`program ${JSON.stringify(binary)} cannot be started: ${e.message}`));
        resolve();
      });
      this.#child.once("close", (code, signal) => {
        this.#end(new ConnectionLost(`hippo ended before it answered (status ${signal ?? code}) ${this.#log.trim()}`.trim()));
        resolve();
      });
    });
    stdin.on("error", () => {}); // it ended: #end fails what is pending
    stderr.setEncoding("utf8").on("data", (text) => (this.#log = (this.#log + text).slice(-1000)));
    stdout.on("data", (bytes) => this.#read(bytes));
    // The calls that follow need not wait for the answer.
    this.#write({ id: ++this.#ids, method: "initialize", params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: "hippo-memory-typescript", version: "1" } } });
    this.#write({ method: "notifications/initialized" });
    this.#hold(false);
  }

  get pid() {
    return this.#child.pid;
  }

  /** The structured result of a call. Only a call that waits keeps Node.js from ending. */
  call(tool, args, timeout, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.ended) return reject(this.ended);
      const id = ++this.#ids;
      const abort = (reason) => {
        this.#settle(id)?.reject(reason);
        this.#write({ method: "notifications/cancelled", params: { requestId: id } });
      };
      const aborted = () => abort(signal.reason);
      const late = () => abort(new TimedOut(`no answer within ${timeout} ms; a change may have been stored before the call was cancelled`));
      const timer = timeout > 0 ? setTimeout(late, timeout) : undefined;
      signal?.addEventListener("abort", aborted, { once: true });
      const clean = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      this.#pending.set(id, { resolve, reject, clean });
      this.#hold(true);
      this.#write({ id, method: "tools/call", params: { name: tool, arguments: { ...args, format: "json" } } });
    });
  }

  async close() {
    this.#hold(true);
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), GRACE);
    await this.#done;
    clearTimeout(timer);
  }

  #hold(on) {
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin, stdout, stderr]) {
      if (on) handle?.ref?.();
      else handle?.unref?.();
    }
  }

  #write(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #settle(id) {
    const call = this.#pending.get(id);
    if (call === undefined) return undefined;
    this.#pending.delete(id);
    call.clean();
    if (this.#pending.size === 0) this.#hold(false);
    return call;
  }

  #end(error) {
    this.ended ??= error;
    for (const id of [...this.#pending.keys()]) this.#settle(id).reject(this.ended);
  }

  #read(bytes) {
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      this.#parts.push(bytes.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(this.#parts);
      this.#parts = [];
      try {
        this.#answer(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line)));
      } catch (e) {
        this.#end(new ConnectionLost(`hippo broke the protocol: ${e.message}`));
        this.#child.kill("SIGKILL");
        return;
      }
    }
    if (from < bytes.length) this.#parts.push(bytes.subarray(from));
  }

  #answer(message) {
    if (message.id === undefined) return;
    let error;
    if (message.error !== undefined) error = new HippoError(String(message.error.message));
    else if (message.result.isError) {
      const text = message.result.content.map((c) => c.text ?? "").join(" ");
      error = errorOf(message.result._meta?.hippo?.error, text);
    } else if (this.#pending.has(message.id) && typeof message.result.structuredContent !== "object") {
      throw new TypeError("a result without structured content");
    }
    const call = this.#settle(message.id);
    if (error) call?.reject(error);
    else call?.resolve(message.result.structuredContent);
  }
}
