import { ConnectionLost, InvalidError, NotFoundError } from "./errors.js";
import { Process } from "./process.js";

export { ConnectionLost, HippoError, InvalidError, NotFoundError, ProgramNotFound, SecretError, TimedOut } from "./errors.js";

// The short hash is the end of the ID, which is random; its beginning is a time.
const HASH_LENGTH = 8;
const PREVIEW_LENGTH = 200;
// The limits of the program: hits a page, and tokens of a result that a program reads.
const MAX_PAGE = 1000;
const MAX_TOKENS = 1_000_000;

function text(name, value) {
  if (typeof value !== "string") throw new InvalidError(`${name}: must be a string, got ${typeof value}`, name);
  if (value.trim() === "") throw new InvalidError(`${name}: must not be empty`, name);
  if (!value.isWellFormed()) throw new InvalidError(`${name}: must be well-formed Unicode, without lone surrogates`, name);
  return value;
}

function count(name, value) {
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidError(`${name}: must be a whole number of at least 1, got ${String(value)}`, name);
  return value;
}

function list(name, value) {
  if (value === undefined) return [];
  if (typeof value === "string") return [text(name, value)];
  if (!Array.isArray(value)) throw new InvalidError(`${name}: must be a string or an array of strings`, name);
  return value.map((v) => text(name, v));
}

function object(name, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new InvalidError(`${name}: must be an object`, name);
  return value;
}

const hashOf = (id) => id.slice(-HASH_LENGTH);
const seconds = (time) => Date.parse(time) / 1000;

function compact({ insight: m, relevance }, ranked) {
  const preview = Array.from(m.content.slice(0, 2 * PREVIEW_LENGTH)).slice(0, PREVIEW_LENGTH).join("");
  const score = ranked ? relevance : 1;
  return { hash: hashOf(m.uuid), preview, tags: m.tags ?? [], created: seconds(m.created_at), score, id: m.uuid };
}

/** The arguments that store and update share. */
function fields({ tags, memoryType, metadata, situation, importance }) {
  const args = {};
  if (tags !== undefined) args.tags = list("tags", tags);
  if (situation !== undefined) args.situation = list("situation", situation);
  if (memoryType !== undefined) args.type = text("memoryType", memoryType);
  if (metadata !== undefined) args.metadata = object("metadata", metadata);
  if (importance !== undefined) args.importance = importance;
  return args;
}

export class Client {
  #binary;
  #args = ["serve"];
  #timeout;
  #env;
  #process;
  #closed = false;

  constructor({ store, project, namespace, binary, timeout = 30_000, env = process.env } = {}) {
    if (!Number.isFinite(timeout) || timeout < 0) throw new InvalidError(`timeout: must be milliseconds from 0, got ${timeout}`, "timeout");
    for (const [flag, value] of Object.entries({ store, project, namespace })) {
      if (value !== undefined) this.#args.push(`--${flag}`, value);
    }
    this.#binary = binary ?? env.HIPPO_BINARY ?? "hippo";
    this.#timeout = timeout;
    this.#env = env;
  }

  /** The ID of the process that runs now; undefined if none does. */
  get pid() {
    return this.#process?.pid;
  }

  /** again: whether a second call does no harm if nobody knows what became of the first. */
  async #call(tool, args, signal, again = true) {
    if (this.#closed) throw new InvalidError("client: is closed");
    if (!this.#process || this.#process.ended) this.#process = new Process(this.#binary, this.#args, this.#env);
    try {
      return await this.#process.call(tool, args, this.#timeout, signal);
    } catch (e) {
      if (!again || !(e instanceof ConnectionLost)) throw e;
      return this.#call(tool, args, signal, false);
    }
  }

  /** Pages until there are limit hits; a memory comes once, even if the ranking changes between two pages. */
  async *#pages(args, limit, size, signal, seen = new Set()) {
    let [offset, left] = [0, limit];
    do {
      const page = { ...args, limit: Math.min(size, left, MAX_PAGE), offset, max_tokens: MAX_TOKENS };
      const answer = await this.#call("hippo_search_insights", page, signal);
      const results = answer.results.filter(({ insight: m }) => !seen.has(m.uuid) && seen.add(m.uuid));
      left -= results.length;
      offset = answer.next_offset ?? 0;
      yield { ...answer, results };
    } while (offset > 0 && left > 0);
  }

  async #found(args, limit, signal, query, ranked, seen) {
    const out = { memories: [], total: 0, query, weak: "" };
    for await (const page of this.#pages(args, limit, MAX_PAGE, signal, seen)) {
      out.memories.push(...page.results.map((h) => compact(h, ranked)));
      [out.total, out.weak] = [page.total_count, page.weak ?? ""];
    }
    return out;
  }

  async search(query, { limit = 5, threshold, tags, signal } = {}) {
    const args = { query: text("query", query), tags: list("tags", tags) };
    if (threshold !== undefined) {
      if (!(threshold >= 0 && threshold <= 1)) throw new InvalidError(`threshold: must be a number between 0 and 1, got ${threshold}`, "threshold");
      args.min_relevance = threshold;
    }
    return this.#found(args, count("limit", limit), signal, query, true);
  }

  async searchByTag(tags, { limit, signal } = {}) {
    const names = [...new Set(list("tags", tags))];
    if (names.length === 0) throw new InvalidError("tags: must not be empty", "tags");
    const most = limit === undefined ? Infinity : count("limit", limit);
    const query = `tags:${names.join(",")}`;
    if (names.length === 1) return this.#found({ tags: names }, most, signal, query, false);
    // All matches are read, so that the total is exact.
    const [memories, seen] = [[], new Set()];
    for (const name of names) memories.push(...(await this.#found({ tags: [name] }, Infinity, signal, "", false, seen)).memories);
    memories.sort((a, b) => b.created - a.created);
    return { memories: memories.slice(0, most), total: memories.length, query, weak: "" };
  }

  async recall(when, { limit = 5, signal } = {}) {
    return this.#found({ when: text("when", when) }, count("limit", limit), signal, when, false);
  }

  async *searchIter(query, { batchSize = 50, signal } = {}) {
    for await (const page of this.#pages({ query: text("query", query) }, Infinity, count("batchSize", batchSize), signal)) {
      for (const hit of page.results) yield compact(hit, true);
    }
  }

  async store(content, { signal, ...options } = {}) {
    const args = { content: text("content", content), ...fields(options) };
    const began = Date.now() / 1000;
    const record = () => this.#call("hippo_record_insight", args, signal, false);
    let done;
    try {
      done = await record();
    } catch (e) {
      if (!(e instanceof ConnectionLost)) throw e;
      done = (await this.#storedSince(began, args, signal)) ?? (await record());
    }
    return hashOf(done.uuid);
  }

  /** What a lost call stored, if it did. */
  async #storedSince(began, args, signal) {
    const since = new Date(Math.floor(began) * 1000).toISOString();
    for await (const page of this.#pages({ created_after: since, detail: "full" }, Infinity, MAX_PAGE, signal)) {
      const same = page.results.find(({ insight: m }) => m.content === args.content && seconds(m.created_at) >= began);
      if (same) return same.insight;
    }
    return undefined;
  }

  async delete(hash, { signal } = {}) {
    const forget = () => this.#call("hippo_forget", { uuids: [text("hash", hash)] }, signal, false);
    const done = forget().then(({ uuids }) => uuids.length > 0, (e) => {
      if (!(e instanceof ConnectionLost)) throw e;
      return forget().then(() => true); // the lost call may have forgotten it
    });
    return this.#known(done, (deleted) => deleted, false);
  }

  async update(hash, { signal, content, clear, ...options } = {}) {
    const args = fields(options);
    if (args.tags?.length === 0) delete args.tags; // an empty list changes nothing
    const cleared = list("clear", clear);
    if (cleared.length > 0) args.clear = cleared;
    if (content !== undefined) args.content = text("content", content);
    if (Object.keys(args).length === 0) throw new InvalidError("update: give tags, memoryType, metadata, content or clear; an empty list of tags changes nothing");
    const call = this.#call("hippo_modify_insight", { uuid: text("hash", hash), reinforce: "none", ...args }, signal);
    return this.#known(call, () => true, false);
  }

  async expand(hash, { signal } = {}) {
    const whole = ({ memories: [{ insight: m }] }) => ({
      hash: hashOf(m.uuid), id: m.uuid, content: m.content, tags: m.tags ?? [], memoryType: m.type ?? "", metadata: m.metadata ?? {},
      situation: m.situation ?? [], importance: m.importance, created: seconds(m.created_at), data: m,
    });
    return this.#known(this.#call("hippo_get", { ids: [text("hash", hash)], max_tokens: MAX_TOKENS }, signal), whole, null);
  }

  async get(hash, options) {
    return this.expand(hash, options);
  }

  async votes(hash, { signal } = {}) {
    const list = ({ memories: [{ insight: m }] }) => (m.feedback ?? []).map((f) => ({
      kind: f.kind, day: f.day, weight: f.weight, tied: Boolean(f.question), newest: f.former !== undefined,
    }));
    const args = { ids: [text("hash", hash)], max_tokens: MAX_TOKENS, no_touch: true }; // to look at votes is no opening
    return this.#known(this.#call("hippo_get", args, signal), list, null);
  }

  /** Once: a second call finds no vote to take back, if the first one did. */
  async unvote(hash, { signal } = {}) {
    return this.#known(this.#call("hippo_reinforce_insight", { undo: [text("hash", hash)] }, signal, false), () => true, false);
  }

  async #known(call, found, missing) {
    try {
      return found(await call);
    } catch (e) {
      if (e instanceof NotFoundError) return missing;
      throw e;
    }
  }

  async health({ signal } = {}) {
    const s = await this.#call("hippo_status", {}, signal);
    const ready = !s.problems?.length; // a memory that waits for its vector does not make a store unready
    return { backend: (s.store ?? "").split(":")[0], count: s.memories, ready, version: s.version };
  }

  async close() {
    this.#closed = true;
    await this.#process?.close();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }
}
