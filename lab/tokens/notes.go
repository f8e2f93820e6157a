package main

// note is a memory of 40 words, as agents write them.
type note struct{ content, situation, kind string }

// query is a question about the notes, all of which mention the gateway.
const query = "why did the gateway go down on Friday"

// notes returns the memories that are measured.
func notes() []note {
	return []note{
		{"The payment gateway failed for twenty minutes on Friday because every client retried at the same moment. Retries now wait a random time, twice as long after each failure, and stop after five attempts, so that one slow service cannot.", "debugging outages", "error"},
		{"Deploys of the gateway go out on Tuesday mornings, never on a Friday, because the support team is small at weekends. The second deploy of a day waits until the first one has served real traffic for at least two.", "planning a deploy", "decision"},
		{"Ana prefers short pull requests with one change each, and gateway tests as tables. She reviews in the morning, so a request that arrives before ten is read on the same day, while a later one waits until the next.", "preparing a review", "preference"},
		{"The gateway keeps its sessions in Postgres and not in Redis, because a restart of the cache signed every customer out last spring. A session lives for thirty days, and each request extends it, but at most once an hour.", "changing how sessions are stored", "decision"},
		{"Tests of the gateway that need a database start their own container, which takes about eight seconds. They are slow on the old build machines; run them with the short flag while you work, and in full only before you.", "running the gateway tests", "fact"},
		{"The staging gateway uses a certificate that must be renewed by hand every ninety days, because the provider does not answer challenges from outside. The reminder is in the team calendar, and the key is kept in the shared vault.", "renewing certificates", "task"},
		{"When the queue behind the gateway grows above ten thousand messages, do not restart the workers: each restart reads the whole backlog again. Add two workers instead, wait ten minutes, and look whether the age of the oldest message is.", "handling a full queue", "error"},
		{"The public interface of the gateway never removes a field within a version. A field that is not used any more is marked as deprecated in the documentation, returns its last known value for one year, and disappears only with.", "changing the public interface", "decision"},
		{"Logs of the gateway are kept for fourteen days, and those with personal data for three. To look further back, ask the security team for the archive, name the ticket and the reason, and expect an answer within one working.", "looking for old logs", "fact"},
		{"The gateway answers with status 429 when a customer passes the limit of a hundred requests a second. The limit is counted for each key and not for each address, because many customers share one address behind a proxy of.", "explaining rate limits", "fact"},
		{"The nightly report of the gateway counts a request once, however often it was retried, since finance compares it with invoices. The raw numbers are in the table of attempts, which has one row for each try, with its status.", "building the nightly report", "fact"},
		{"Marta decides what the gateway charges for, and wants to hear of every change of the price table before it is merged. Write to her with an example of an invoice before and after, because the numbers alone have misled.", "changing prices", "preference"},
	}
}
