// What the types allow and refuse; make clients-types compiles it, nothing runs it.
import { RestClient, type Hit, type Insight, type StreamEvent } from "../src/verbs.js";

export async function use(c: RestClient, signal: AbortSignal): Promise<void> {
  const { insight } = await c.record({ content: "x", tags: ["a"], source: { kind: "user" }, idempotency_key: "one" }, { signal });
  const id: string = insight.uuid;
  const hits: readonly Hit[] = (await c.search({ query: "x", ranker: "hybrid", relevance_range: { min: 0.1 } })).results;
  const m: Insight = await c.modify({ id, importance: 0.7, metadata: { any: [1, null] }, if_match: '"v1"' });
  await c.relate({ relations: [{ from: id, to: "gateway", kind: "about" }] });
  const counts: number = (await c.audit({ limit: 1 })).counts["stale"] + hits.length + m.importance;
  for await (const e of c.events()) ((x: StreamEvent) => [x.kind, counts])(e);
  await c.import(c.export(), { dry_run: true });
  // @ts-expect-error: content must be given
  await c.record({});
  // @ts-expect-error: no such argument
  await c.search({ qeury: "x" });
  // @ts-expect-error: not one of the values
  await c.draw({ id, format: "svg" });
}
