// Requests to a server of Hippo, which the verbs of RestClient send.
import { ConnectionLost, HippoError, InvalidError, TimedOut, errorOf } from "./errors.js";

const PREFIX = "/api/v1";

/** A text as one segment of a path. */
export function segment(text) {
  if (typeof text !== "string" || !text.isWellFormed() || /^\.*$/.test(text)) throw new InvalidError(`path: ${JSON.stringify(text)} cannot be a name in a path`);
  return encodeURIComponent(text);
}

function checked(url, insecure) {
  const parts = URL.canParse(url) ? new URL(url) : undefined;
  if (!parts || !/^https?:$/.test(parts.protocol) || parts.username || parts.search || parts.hash) {
    throw new InvalidError(`url: must be given, or be in HIPPO_URL, such as https://HOST or http://127.0.0.1:8420, got ${JSON.stringify(url)}`, "url");
  }
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parts.hostname);
  if (parts.protocol === "http:" && !insecure && !local) throw new InvalidError("url: must be https: for another machine, unless insecureHttp is set", "url");
  return parts.href.replace(/\/+$/, "");
}

function wellFormed(value) {
  if (typeof value === "string" && !value.isWellFormed()) throw new InvalidError("arguments: must be well-formed Unicode, without lone surrogates");
  return value;
}

function encoded(body) {
  try {
    return JSON.stringify(body, (_, v) => wellFormed(v));
  } catch (e) {
    throw e instanceof HippoError ? e : new InvalidError(`arguments: have no JSON form: ${e.message}`);
  }
}

function queryOf(values = {}) {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const v of Array.isArray(value) ? value : [value]) {
      if (v !== undefined && v !== null) out.append(name, typeof v === "string" ? wellFormed(v) : encoded(v));
    }
  }
  return out.size > 0 ? `?${out}` : "";
}

/** What fetch takes as a body: lines are sent as they come. */
function bodyOf(lines) {
  if (typeof lines === "string") return wellFormed(lines);
  if (lines instanceof Uint8Array) return lines;
  const encoder = new TextEncoder();
  return (async function* () {
    for await (const part of lines) yield typeof part === "string" ? encoder.encode(wellFormed(part)) : part;
  })();
}

export class Rest {
  #url;
  #token;
  #timeout;
  #stop = new AbortController();

  constructor({ url = process.env.HIPPO_URL ?? "", token = process.env.HIPPO_TOKEN ?? "", timeout = 60_000, insecureHttp = false } = {}) {
    if (!Number.isFinite(timeout) || timeout < 0) throw new InvalidError(`timeout: must be milliseconds from 0, got ${timeout}`, "timeout");
    this.#url = checked(url, insecureHttp);
    this.#token = token.trim();
    if (!/^[!-~]+$/.test(this.#token)) throw new InvalidError("token: must be given, or be in HIPPO_TOKEN, in printable ASCII", "token");
    this.#timeout = timeout;
  }

  async #open(method, path, { query, headers = {}, body, lines, least = 0 }, { signal } = {}, stream = false) {
    if (this.#stop.signal.aborted) throw new InvalidError("client: is closed");
    const given = { Authorization: `Bearer ${this.#token}` };
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined && value !== null) given[name] = value;
    }
    let data;
    if (body !== undefined) [given["Content-Type"], data] = ["application/json", encoded(body)];
    if (lines !== undefined) [given["Content-Type"], data] = ["application/x-ndjson", bodyOf(lines)];
    const signals = [this.#stop.signal];
    if (signal) signals.push(signal);
    const late = this.#timeout > 0 && !stream && lines === undefined ? AbortSignal.timeout(Math.max(this.#timeout, least)) : undefined;
    if (late) signals.push(late);
    const fail = (e) => {
      if (signal?.aborted) return signal.reason;
      if (this.#stop.signal.aborted) return new InvalidError("client: is closed");
      if (late?.aborted) return new TimedOut("no answer in time; a change may have been stored");
      if (e instanceof TypeError && e.cause === undefined) return new InvalidError(`arguments: ${e.message}`);
      return new ConnectionLost(`no answer from the server: ${e.cause?.message ?? e.message}`);
    };
    const init = { method, headers: given, body: data, redirect: "manual", signal: AbortSignal.any(signals), duplex: "half" };
    try {
      const response = await fetch(this.#url + PREFIX + path + queryOf(query), init);
      if (!response.ok) throw await problem(response);
      return { response, fail };
    } catch (e) {
      throw e instanceof HippoError ? e : fail(e);
    }
  }

  async _json(method, path, request, options) {
    const { response, fail } = await this.#open(method, path, request, options);
    try {
      const text = await response.text();
      return text ? JSON.parse(text) : undefined;
    } catch (e) {
      throw fail(e);
    }
  }

  async *_lines(method, path, request, options) {
    const { response, fail } = await this.#open(method, path, request, options, true);
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const part of response.body) {
        const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
        rest = lines.pop();
        for (const line of lines) yield `${line}\n`;
      }
    } catch (e) {
      throw fail(e);
    }
    if (rest) yield rest;
  }

  async *_events(method, path, request, options) {
    let fields = {};
    for await (const raw of this._lines(method, path, request, options)) {
      const line = raw.trimEnd();
      if (line) {
        const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
        fields[name] = value;
        continue;
      }
      // Others are comments that keep the connection alive.
      if (fields.event) yield { kind: fields.event, id: fields.id ?? "", data: JSON.parse(fields.data ?? "{}") };
      fields = {};
    }
  }

  async close() {
    this.#stop.abort();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }
}

/** The error for an answer that is none. */
async function problem(response) {
  const text = `the server answered with status ${response.status}`;
  const body = await response.json().catch(() => undefined);
  if (typeof body?.code !== "string") return new HippoError(text, "unavailable");
  return errorOf({ ...body, message: body.detail ?? body.title }, text);
}
