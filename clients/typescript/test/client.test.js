// The library against the real program: HIPPO_BINARY is its path.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import * as hippo from "../src/index.js";

const { Client, ConnectionLost, InvalidError, ProgramNotFound, SecretError, TimedOut } = hippo;

function start(t, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hippo-"));
  const client = new Client({ store: `sqlite:${join(folder, "memory.db")}`, ...options });
  t.after(async () => {
    await client.close();
    rmSync(folder, { recursive: true });
  });
  return { client, folder };
}

function fake(t, body, timeout = 10_000) {
  const { folder } = start(t);
  const binary = join(folder, "fake");
  writeFileSync(binary, `#!${process.execPath}\nconst lines = [];\n${body}`, { mode: 0o755 });
  const client = new Client({ binary, timeout });
  t.after(() => client.close());
  return { client, folder };
}

test("the examples of the design", async (t) => {
  const { client } = start(t);
  for (let i = 0; i < 4; i++) await client.store(`Architecture decision ${i}: SQLite keeps the memory`, { tags: ["note", "important"] });
  const found = await client.search("recent architecture decisions", { limit: 3 });
  assert.deepEqual([found.total, found.memories.length, found.query], [4, 3, "recent architecture decisions"]);
  for (const m of found.memories) {
    assert.equal(m.hash.length, 8);
    assert.deepEqual(m.tags, ["note", "important"]);
    assert.ok(m.preview.startsWith("Architecture decision") && m.score > 0 && m.created > 1.7e9);
  }
  assert.deepEqual((await client.search("architecture", { threshold: 1 })).memories, []);
  assert.deepEqual(await client.health().then((h) => [h.backend, h.count, h.ready]), ["sqlite", 4, true]);
});

test("store, expand, update, delete", async (t) => {
  const { client } = start(t);
  const hash = await client.store("Important decision", { tags: "decision", memoryType: "note", metadata: { a: 1, ü: ["x"] } });
  const m = await client.expand(hash);
  assert.deepEqual([m.content, m.tags, m.memoryType, m.metadata], ["Important decision", ["decision"], "note", { a: 1, ü: ["x"] }]);
  assert.equal(await client.update(m.id, { tags: ["new"], metadata: { a: null, c: 3 } }), true);
  const changed = await client.get(hash);
  assert.deepEqual([changed.tags, changed.metadata], [["new"], { a: 1, ü: ["x"], c: 3 }]);
  assert.equal(await client.update(m.id, { clear: ["metadata.a"] }), true);
  assert.deepEqual((await client.get(hash)).metadata, { ü: ["x"], c: 3 });
  assert.equal(await client.update(m.id, { tags: [], memoryType: "decision" }), true);
  assert.deepEqual((await client.get(hash)).tags, ["new"]);
  await assert.rejects(client.update(m.id, { tags: [] }), InvalidError);
  assert.equal(await client.update(m.id, { clear: ["tags", "type"] }), true);
  const cleared = await client.get(hash);
  assert.deepEqual([cleared.tags, cleared.memoryType], [[], ""]);
  assert.deepEqual([await client.delete(hash), await client.delete(hash)], [true, false]);
  assert.equal((await client.search("decision")).total, 0);
  assert.deepEqual([await client.expand("deadbeef"), await client.delete("deadbeef"), await client.update("deadbeef", { tags: "x" })], [null, false, false]);
});

test("votes", async (t) => {
  const { client, folder } = start(t);
  const hash = await client.store("The pump needs oil");
  assert.deepEqual(await client.votes(hash), []);
  for (const args of [["upvote", hash, "--query", "what does the pump need?"], ["downvote", hash]]) {
    await promisify(execFile)(process.env.HIPPO_BINARY, [...args, "--store", `sqlite:${join(folder, "memory.db")}`], { timeout: 60_000 });
  }
  const votes = await client.votes(hash);
  assert.deepEqual(votes.map((v) => [v.kind, v.weight, v.tied, v.newest]), [["up", 1, true, false], ["down", 1, false, true]]);
  assert.equal(await client.unvote(hash), true);
  assert.deepEqual(await client.votes(hash), votes.slice(0, 1));
  await assert.rejects(client.unvote(hash), (e) => e instanceof hippo.HippoError && e.code === "conflict");
  assert.deepEqual([await client.votes("deadbeef"), await client.unvote("deadbeef")], [null, false]);
  await assert.rejects(client.votes(""), InvalidError);
});

test("by tag, by time, all", async (t) => {
  const { client } = start(t);
  const hashes = await Promise.all(Array.from({ length: 23 }, (_, i) => client.store(`Deploy ${i} went well`, { tags: ["d", `t${i % 2}`] })));
  assert.equal((await client.searchByTag("d", { limit: 2 })).total, 23);
  const some = await client.searchByTag(["t0", "t1", "zz"], { limit: 20 });
  assert.deepEqual([some.total, some.memories.length, some.query, some.memories[0].score], [23, 20, "tags:t0,t1,zz", 1]);
  assert.equal((await client.recall("today", { limit: 30 })).memories.length, 23);
  assert.equal((await client.recall("last year")).total, 0);
  const seen = [];
  for await (const m of client.searchIter("deploy", { batchSize: 5 })) seen.push(m.hash);
  assert.deepEqual(seen.sort(), hashes.sort());
});

test("bad input", async (t) => {
  const { client } = start(t);
  const hash = await client.store("kept");
  const wrong = [
    () => client.search(""), () => client.search(undefined), () => client.search("x", { limit: 0 }), () => client.search("x", { limit: "5" }),
    () => client.search("x", { threshold: 2 }), () => client.searchByTag([]), () => client.searchByTag([1]),
    () => client.recall("blub"), () => client.searchIter("x", { batchSize: 0 }).next(), () => client.store(" "), () => client.store("a\ud800"),
    () => client.store("x", { metadata: [1] }), () => client.store("x", { importance: 7 }), () => client.store("x".repeat(600 << 10)),
    () => client.update(hash, {}), () => client.delete("zz"), () => client.expand(7), async () => new Client({ timeout: -1 }),
  ];
  for (const call of wrong) await assert.rejects(call, InvalidError, String(call));
  await assert.rejects(client.store("the key is AKIAIOSFODNN7EXAMPLQ"), SecretError);
  assert.equal((await client.health()).count, 1);
});

test("huge contents and odd characters stay", async (t) => {
  const { client } = start(t);
  for (const content of ["äö ".repeat(100 << 10), "a\nb\r\n\tc", "\u2028 \u{1f600} x"]) {
    assert.equal((await client.expand(await client.store(content))).content, content);
  }
});

test("a program that is missing, wrong, dies, or breaks the protocol", async (t) => {
  await assert.rejects(new Client({ binary: "/none/hippo" }).health(), ProgramNotFound);
  await assert.rejects(new Client({ store: "foo:bar" }).health(), /must be sqlite:PATH, dir:PATH, shared:PATH or postgres:/);
  await assert.rejects(fake(t, `process.stdin.once("data", () => { console.error("disk on fire"); process.exit(3); });`).client.health(), (e) => e instanceof ConnectionLost && /status 3\) disk on fire/.test(e.message));
  for (const reply of ["\\xff\\xfe\\n", "not json\\n", "[1]\\n{}\\n{\"id\":2}\\n", "{\"id\":2,\"result\":[]}\\n"]) {
    const { client } = fake(t, `process.stdin.once("data", () => process.stdout.write(Buffer.from('${reply}', "latin1")));`);
    await assert.rejects(client.health(), ConnectionLost, reply);
  }
});

test("it starts again", async (t) => {
  const { client } = start(t);
  const hash = await client.store("kept");
  for (let i = 0; i < 3; i++) {
    const old = client.pid;
    process.kill(old, "SIGKILL");
    assert.equal((await client.expand(hash)).content, "kept");
    assert.notEqual(client.pid, old);
  }
});

test("a timeout and an abort cancel the call", async (t) => {
  const log = `process.stdin.on("data", (b) => require("fs").appendFileSync(process.argv[1] + ".log", b));`;
  const late = fake(t, log, 300);
  await assert.rejects(late.client.store("x"), TimedOut);
  const { client, folder } = fake(t, log);
  const stop = new AbortController();
  const call = client.store("x", { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await assert.rejects(client.health({ signal: stop.signal }), /enough/);
  for (const f of [late, { client, folder }]) {
    await f.client.close();
    assert.match(readFileSync(join(f.folder, "fake.log"), "utf8"), /notifications\/cancelled/);
  }
});

test("close answers what runs, and a closed client says so", async (t) => {
  const { client } = start(t);
  const call = client.store("last words");
  await client.close();
  assert.equal((await call).length, 8);
  await client.close();
  await assert.rejects(client.health(), InvalidError);
});

test("Node.js ends without close, and so does the program", async (t) => {
  const { folder } = start(t);
  const code = `import { Client } from ${JSON.stringify(new URL("../src/index.js", import.meta.url))};
    const c = new Client(); await c.store("x"); console.log(c.pid);`;
  const env = { ...process.env, HIPPO_STORE: `sqlite:${join(folder, "memory.db")}` };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { env, timeout: 30_000 });
  for (let alive = true; alive; ) {
    try {
      process.kill(Number(stdout), 0);
      await new Promise(setImmediate);
    } catch {
      alive = false;
    }
  }
});

test("the version is that of the Python library", () => {
  const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
  const [, version] = /__version__ = "(.*)"/.exec(read("../../python/src/hippo_memory/__init__.py"));
  assert.equal(JSON.parse(read("../package.json")).version, version);
});
