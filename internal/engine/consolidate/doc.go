// Package consolidate plans what to tidy up in a store: topics and groups of memories, links between
// near-duplicates, summaries that cite what they summarise, learned relations that have faded, and memories
// to archive.
//
// It is pure: [New] reads a [View] and returns a [Plan], a list of proposed actions with their reasons.
// It knows no store and changes nothing. Whoever applies a plan does so in one transaction.
//
// Invariants:
//   - Equal views give equal plans, whatever the order of their memories and relations.
//   - A plan for a view to which a plan was applied proposes nothing, at the same time and horizon.
//     So all that decides is taken over live and archived memories, and a summary is no subject of
//     another one.
//   - What is pinned, voted up, not scored, used lately or protected by a tag is never archived.
//   - No cluster, link or summary has members of two projects, so that no text leaves its project.
//
// Sources: the consolidation of claude-hippo of May 2026 (rule of k, iterations, decay with a floor) and
// of mcp-memory-service 10.59 (horizons, protected tags, length of summaries). What differs from them is
// explained in docs/adr/0026-consolidation-is-a-plan.md.
package consolidate
