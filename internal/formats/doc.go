// Package formats reads and writes memories as files: Hippo's own JSON files in
// every shape they ever had, the product's export, JSON lines of other
// programs, and conversations. It refuses to guess: what an entry says wrongly
// is an error that names the place, the field and the limit, and the entries
// around it are still read. Reading is streaming; memory use does not grow with
// the size of the source, only with one entry, which is at most [MaxEntry] bytes.
//
// Text is UTF-8; a byte order mark, CRLF and blank lines are passed over. The
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
//     things; an insight or a turn is read as such.
//   - [KindArray]: the same objects as the elements of one JSON array.
package formats
