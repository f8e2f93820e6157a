// Every verb of RestClient against the real program: HIPPO_BINARY is its path.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { ConnectionLost, HippoError, InvalidError, NotFoundError, SecretError, TimedOut } from "../src/index.js";
import { RestClient } from "../src/verbs.js";

const VERBS = Object.getOwnPropertyNames(RestClient.prototype).filter((name) => name !== "constructor");

/** A server on a store of its own: its address and a token for everything. */
async function serve(t) {
  const home = mkdtempSync(join(tmpdir(), "hippo-"));
  const env = { HOME: home, PATH: process.env.PATH, HIPPO_STORE: `sqlite:${join(home, "memory.db")}` };
  const server = spawn(process.env.HIPPO_BINARY ?? "hippo", ["serve", "--http", "127.0.0.1:0"], { env, stdio: ["ignore", "ignore", "pipe"] });
  t.after(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, "close");
    rmSync(home, { recursive: true });
  });
  let token = "";
  for await (const line of createInterface({ input: server.stderr })) {
    const path = line.split(" its text is in ")[1];
    if (path) token = readFileSync(path, "utf8");
    const [, url] = / on (http:\S+)/.exec(line) ?? [];
    if (url) {
      server.stderr.resume();
      return { url, token };
    }
  }
  throw new Error("the server ended");
}

test("every verb", async (t) => {
  const c = new RestClient(await serve(t));
  const called = new Set();
  for (const name of VERBS) {
    c[name] = (...args) => {
      called.add(name);
      return RestClient.prototype[name].apply(c, args);
    };
  }
  const [a, b] = await memories(c);
  await relations(c, a, b);
  await entities(c);
  await past(c, a);
  await namespaces(c);
  for (const verb of ["syncStatus", "syncNow", "syncVerify", "syncRebuild", "syncRemove"]) await assert.rejects(c[verb](), NotFoundError); // there is no remote
  await assert.rejects(c.syncRetire({ machine: "laptop" }), NotFoundError);
  await whole(c, b);
  const operations = Object.values((await c.openapi()).paths).flatMap((path) => Object.values(path).map((o) => o.operationId));
  assert.deepEqual([...called].sort(), operations.sort());
  await c.close();
  await assert.rejects(c.status(), InvalidError);
});

async function memories(c) {
  const content = "The pump needs oil";
  const { insight: { uuid: a } } = await c.record({ content, tags: ["pump"], metadata: { rgb: [1, null, "ü"] }, idempotency_key: "one" });
  const { insight: { uuid: b } } = await c.record({ content: "The valve is red", source: { kind: "user", author: "ana" } });
  assert.equal((await c.record({ content, idempotency_key: "one" })).insight.uuid, a);
  assert.deepEqual((await c.search({ query: "pump oil", limit: 1, no_touch: true })).results.map((h) => h.insight.uuid), [a]);
  assert.deepEqual((await c.get({ id: a })).metadata, { rgb: [1, null, "ü"] });
  assert.equal((await c.getMany({ uuids: [a, b] })).insights.length, 2);
  assert.equal((await c.resolve({ uuids: [a.slice(-8)] })).ids[0].uuid, a);
  const changed = await c.modify({ id: a, content: "The pump needs much oil", reason: "measured", if_match: '"v1"' });
  assert.deepEqual([changed.content, changed.version], ["The pump needs much oil", 2]);
  await assert.rejects(c.modify({ id: a, content: "The pump needs no oil", if_match: '"v1"' }), { code: "conflict" });
  assert.ok((await c.reinforce({ upvotes: [a], query: "how much oil?" })).reinforced[0].after > 0);
  assert.deepEqual((await c.votes({ id: a })).votes.map((v) => v.tied), [false, true]); // new content is a vote, too
  const found = await c.list({ tags: ["pump"], pinned: false, project: undefined });
  assert.deepEqual([found.insights.map((m) => m.uuid), found.total_count], [[a], 1]);
  assert.ok(Array.isArray((await c.context({ prompt: "how much oil does the pump need?" })).items));
  assert.equal((await c.history({ id: a })).insights[0].uuid, a);
  const both = await c.searchSources({ query: "pump oil", limit: 1 });
  assert.deepEqual([both.results.map((h) => h.source), both.code_count], [["memory"], 0]);
  await assert.rejects(c.searchSources({ query: "pump", sources: ["memory"] }), { code: "invalid", field: "sources" });
  return [a, b];
}

async function relations(c, a, b) {
  await c.relate({ relations: [{ from: a, to: b, kind: "explains", weight: 0.5 }] });
  assert.deepEqual((await c.relationsOf({ id: a })).relations.map((r) => r.kind), ["explains"]);
  assert.ok((await c.neighbours({ id: a })).nodes.some((n) => n.uuid === b));
  assert.deepEqual((await c.path({ from: a, to: b })).paths[0].uuids, [a, b]);
  assert.match((await c.draw({ id: a, format: "graphviz" })).text, /explains/);
  assert.ok((await c.communities({ learned: true })).insights >= 2);
  await c.endRelation({ from: a, to: b, kind: "explains" });
  assert.equal(await c.unrelate({ from: a, to: b, kind: "explains" }), undefined);
  assert.deepEqual((await c.relationsOf({ id: a })).relations, []);
}

async function entities(c) {
  const name = "North/South pump?";
  await c.addEntity({ name, kind: "machine", aliases: ["P1"] });
  assert.equal((await c.entity({ name })).entity.kind, "machine");
  assert.equal((await c.modifyEntity({ name: "P1", description: "the pump in the hall" })).name, name);
  assert.equal((await c.entities({ kind: "machine" })).total, 1);
  assert.equal((await c.splitEntity({ entity: "P1", name: "P2" })).entity.name, "P2");
  assert.equal((await c.mergeEntities({ from: "P2", into: "P1" })).entity.name, name);
  await c.removeEntity({ name: "P1" });
}

async function past(c, a) {
  const { operations } = await c.log({ memory: a });
  assert.equal(operations.at(-1).reason, "measured");
  assert.ok((await c.diff({ id: a, from: operations.length })).changed.includes("content"));
  assert.deepEqual((await c.undo({ operation: operations[0].uuid, reason: "a mistake" })).uuids, [a]);
  await assert.rejects(c.undo({ operation: "00000000" }), NotFoundError);
}

async function namespaces(c) {
  assert.deepEqual((await c.namespaces()).namespaces.map((n) => n.namespace), [""]);
  assert.equal((await c.namespaceUsage()).memories, 2);
  for await (const line of c.exportNamespace()) assert.match(line, /^{.*\n$/);
  await assert.rejects(c.limitNamespace({ namespace: "team", memories: 10 }), { code: "unsupported" }); // of a store in files
  await assert.rejects(c.deleteNamespace({ namespace: "team" }), NotFoundError);
}

async function whole(c, b) {
  assert.equal((await c.status()).memories, 2);
  assert.deepEqual((await c.projects()).projects, []);
  assert.equal((await c.clusters()).memories, 2);
  assert.equal((await c.audit({ limit: 1 })).memories, 2);
  assert.equal((await c.consolidate({ dry_run: true, horizon: "daily" })).dry_run, true);
  const events = c.events();
  assert.equal((await events.next()).value.kind, "ready");
  assert.equal((await c.forget({ uuids: [b] })).action, "forgotten");
  const { value: change } = await events.next();
  assert.deepEqual([change.kind, change.data.uuid, change.data.forgotten], ["change", b, true]);
  await events.return();
  assert.deepEqual((await c.restore({ uuids: [b] })).uuids, [b]);
  const lines = [];
  for await (const line of c.export()) lines.push(line);
  assert.match(lines[0], /^{"hippo_export".*\n$/);
  for (const lot of [lines.join(""), new TextEncoder().encode(lines.join("")), lines, c.export()]) {
    const report = await c.import(lot, { dry_run: true });
    assert.deepEqual([report.added, report.present, report.rejected], [0, 4, []]); // two were entities
  }
  await c.purge({ uuids: [b] });
  await assert.rejects(c.get({ id: b }), NotFoundError);
}

test("errors", async (t) => {
  const { url, token } = await serve(t);
  const c = new RestClient({ url, token });
  for (const [call, kind, code, field] of [
    [() => c.list({ limit: 100_000 }), InvalidError, "invalid", "limit"],
    [() => c.search({ qeury: "x" }), InvalidError, "invalid", "qeury"],
    [() => c.get({ id: "deadbeef" }), NotFoundError, "not_found", ""],
    [() => c.get({ id: ".." }), InvalidError, "invalid", ""],
    [() => c.get({}), InvalidError, "invalid", ""],
    [() => c.list({ author: "\ud800" }), InvalidError, "invalid", ""],
    [() => c.record({ content: "\ud800" }), InvalidError, "invalid", ""],
    [() => c.record({ content: "x", importance: 1n }), InvalidError, "invalid", ""],
    [() => c.record({ content: "x", idempotency_key: "a\nb" }), InvalidError, "invalid", ""],
    [() => c.record({ content: "the key is AKIAIOSFODNN7EXAMPLA" }), SecretError, "secret", "content"],
    [() => c.import("no export"), InvalidError, "invalid", "body"],
    [() => new RestClient({ url, token: "wrong" }).status(), HippoError, "forbidden", ""],
  ]) {
    const error = await call().then(() => assert.fail(String(call)), (e) => e);
    assert.ok(error instanceof kind, `${call}: ${error}`);
    assert.deepEqual([error.code, error.field], [code, field], String(call));
  }
});

test("addresses and tokens", async () => {
  for (const url of ["", "file:///etc/passwd", "127.0.0.1:8420", "http://", "http://host:x", "http://example.com", "https://u:p@h"]) {
    assert.throws(() => new RestClient({ url, token: "token" }), { name: "InvalidError", field: "url" }, url);
  }
  for (const token of ["", "a\nb", "ü"]) assert.throws(() => new RestClient({ url: "https://example.com", token }), { field: "token" });
  new RestClient({ url: "http://example.com", token: "t", insecureHttp: true });
  await assert.rejects(new RestClient({ url: "http://127.0.0.1:1", token: "t" }).status(), ConnectionLost);
});

test("a server that breaks the protocol, a timeout, an abort and a close", async (t) => {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    if (request.url.endsWith("/status")) response.writeHead(302, { Location: "/elsewhere" }).end();
    else if (request.url.endsWith("/projects")) response.end("{");
    else if (request.url.endsWith("/export")) {
      response.writeHead(200).write("line\n");
      setImmediate(() => response.destroy());
    } // others get no answer
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.close(), server.closeAllConnections()));
  const c = new RestClient({ url: `http://127.0.0.1:${server.address().port}`, token: "t", timeout: 300 });
  await assert.rejects(c.status(), HippoError);
  await assert.rejects(c.projects(), ConnectionLost);
  await assert.rejects(async () => { for await (const _ of c.export()); }, ConnectionLost);
  await assert.rejects(c.openapi(), TimedOut);
  const stop = new AbortController();
  const call = c.list({}, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  const events = c.events().next();
  await c.close();
  await assert.rejects(events, InvalidError);
  assert.ok(!seen.includes("/elsewhere"));
});
