// Package formats reads and writes memories as files: Hippo's JSON files in every version,
// exports, JSON lines of other programs, and conversations. It does not guess: an invalid
// entry is an error that names its position, the field and the limit, and the other entries
// are still read. Reading is streaming: memory use depends on the largest entry, of at most
// [MaxEntry] bytes, and not on the size of the source.
//
// Text is UTF-8; a byte order mark, CRLF and blank lines are skipped. The
// formats, as [Open] detects them:
//
//   - [KindDirectory]: <uuid>.json, one insight a file (see [EncodeInsight]), and
//     metadata.json with active_day_counter and last_calendar_date_used.
//   - [KindInsights]: the same below insights/, as the Python program wrote it.
//   - [KindLegacy]: one file {"insights": [...], "active_day_counter": n,
//     "last_calendar_date_used": "YYYY-MM-DD"}; the counters may be missing.
//   - [KindInsight]: one insight, or one row as in [KindLines], over several lines.
//   - [KindExport]: JSON lines. The first is {"hippo_export": 1,
//     "active_day_counter": n, "last_calendar_date_used": date or null}; each
//     other one is an insight as [EncodeInsight] writes it, on one line. What a
//     [Writer] wrote reads back as the same memories, but for Revision.
//   - [KindTurns]: JSON lines, one turn of a conversation each, with id,
//     conversation, session, speaker, text and time.
//   - [KindLines]: JSON lines, one object a memory, with the usual names of
//     fields; an insight or a turn is recognized.
//   - [KindArray]: the same objects as the elements of one JSON array.
package formats
