package api

import "github.com/hippo-memory/hippo"

// Consolidate links near-duplicates, summarises and archives, as one operation that undo reverts. The answer
// is a [Consolidation]. See docs/consolidation.md.
type Consolidate struct {
	Horizon Horizon
	// DryRun proposes and changes nothing.
	DryRun bool
}

// Horizon decides which steps of a consolidation run, and the ages of the memories that they act on.
type Horizon string

// The horizons. All of them remove learned relations that have faded.
const (
	// Daily acts on memories of the last two days: near-duplicates.
	Daily Horizon = "daily"
	// Weekly acts on all: near-duplicates and summaries.
	Weekly Horizon = "weekly"
	// Monthly is Weekly with archival.
	Monthly Horizon = "monthly"
	// Quarterly acts on memories older than 90 days: summaries and archival.
	Quarterly Horizon = "quarterly"
	// Yearly acts on memories older than 365 days: archival.
	Yearly Horizon = "yearly"
)

// Horizons returns every horizon, from the shortest.
func Horizons() []Horizon { return []Horizon{Daily, Weekly, Monthly, Quarterly, Yearly} }

// HorizonNames returns the names of [Horizons].
func HorizonNames() []string {
	names := make([]string, 0, len(Horizons()))
	for _, h := range Horizons() {
		names = append(names, string(h))
	}
	return names
}

// Consolidation describes what a consolidation changed, or proposes.
type Consolidation struct {
	Horizon Horizon
	DryRun  bool
	// Operation is the one to undo; zero if nothing was changed, or no history is kept.
	Operation hippo.ID
	// Memories is the number of those that were looked at; Topics and Groups are the numbers of clusters.
	Memories, Topics, Groups int
	ConsolidationCounts
	// Actions are the first [MaxActions] of each kind, in the order of the plan.
	Actions []ConsolidationAction
}

// ConsolidationCounts are the numbers of changes that a consolidation made, or proposes.
type ConsolidationCounts struct {
	// Pruned are learned relations that have faded, Linked near-duplicates, Summarised and Archived groups and memories.
	Pruned, Linked, Summarised, Archived int
	// Rescored are the memories whose surprise changed; it is computed after the rest, of some memories in each run.
	Rescored int
	// Skipped counts memories that changed while the plan was made; the consolidation did not touch them.
	Skipped int
	// Left are the near-duplicates beyond the limit of one run, which the next runs link.
	Left int
}

// MaxActions is the number of actions of a kind that a [Consolidation] lists.
const MaxActions = 100

// ConsolidationAction is a change with its reason.
type ConsolidationAction struct {
	Kind ActionKind
	// Memory is the one that changes; zero for a summary and for relations that are pruned.
	Memory hippo.ID
	Reason string
	// Others are the memory that it is a duplicate of, or the members of a summary.
	Others []hippo.ID
	// Text is that of a summary.
	Text string
}

// ActionKind is the kind of an action of a consolidation.
type ActionKind string

// The kinds of action, in the order of a plan.
const (
	// ActionPrune removes relations.
	ActionPrune ActionKind = "prune"
	// ActionLink declares relations between near-duplicates.
	ActionLink ActionKind = "link"
	// ActionSummarize records a summary and relates it to its members.
	ActionSummarize ActionKind = "summarize"
	// ActionArchive archives a memory.
	ActionArchive ActionKind = "archive"
)

// ActionKinds returns every kind in the order of a plan.
func ActionKinds() []ActionKind {
	return []ActionKind{ActionPrune, ActionLink, ActionSummarize, ActionArchive}
}

// ClusterList holds the topics of the memories, and the groups within the topics.
type ClusterList struct {
	// Topics are coarse, Groups fine: each lies in one topic.
	Topics, Groups []Cluster
	// Memories is the number of those that were looked at.
	Memories int
}

// Cluster is a set of memories that are about the same.
type Cluster struct {
	// Project is that of its memories; empty: none.
	Project string
	// Topic is the position in [ClusterList.Topics] of the topic that a group belongs to; of a topic, its own.
	Topic int
	// Label are the words that distinguish it from the rest, the most characteristic first. It may be empty.
	Label []string
	// Members are by their cosine with the centroid, the most central first.
	Members []hippo.ID
	// Density is the mean cosine of two members, whatever their number; 1 for a single one.
	Density float64
}

// Audit finds stale, contradictory, repeated, misfiled and unused memories, with a remedy for each. It changes
// nothing. The answer is an [AuditReport].
type Audit struct {
	// Projects are those that are looked at, as in [hippo.Filter.Projects].
	Projects []string
	// Idle is the number of active days without a use from which a memory is idle; 0 means 30.
	Idle int
	// Limit is how many findings of each problem are listed; 0 means [hippo.DefaultCount], at most [hippo.MaxCount].
	Limit int
}

// Problem is a kind of problem of a memory.
type Problem string

// The problems, in the order of an audit. A memory is named once, by the first problem that it has.
const (
	// ProblemStale is a memory that no longer holds, or that a newer one supersedes or contradicts and nobody uses.
	ProblemStale Problem = "stale"
	// ProblemContradictory is a memory that a newer one contradicts.
	ProblemContradictory Problem = "contradictory"
	// ProblemRepeated is a near-duplicate of a better one.
	ProblemRepeated Problem = "duplicate"
	// ProblemMisfiled is a memory that belongs to another project than its own.
	ProblemMisfiled Problem = "misfiled"
	// ProblemUnused is a memory that was never opened, voted on or returned by a search.
	ProblemUnused Problem = "unused"
)

// Problems returns every problem in the order of an audit.
func Problems() []Problem {
	return []Problem{ProblemStale, ProblemContradictory, ProblemRepeated, ProblemMisfiled, ProblemUnused}
}

// Remedy is what to do about a problem.
type Remedy string

// The remedies.
const (
	// RemedyForget hides the memory.
	RemedyForget Remedy = "forget"
	// RemedySupersede makes the other memory supersede it.
	RemedySupersede Remedy = "supersede"
	// RemedyMove moves the memory to another project.
	RemedyMove Remedy = "move"
)

// AuditReport lists problems of the memories that the caller may see.
type AuditReport struct {
	// Memories is the number of those that were looked at: they are neither forgotten nor archived.
	Memories int
	// Counts are the numbers of findings.
	Counts map[Problem]int
	// Findings are the first of each problem, in the order of [Problems].
	Findings []AuditFinding
}

// AuditFinding is a finding with the beginnings of the texts.
type AuditFinding struct {
	Finding
	// Text is the beginning of the memory, OtherText that of the other one.
	Text, OtherText string
}

// Finding is a memory with a problem, and what to do about it.
type Finding struct {
	Problem Problem
	ID      hippo.ID
	// Other supersedes or contradicts the memory, or says the same; zero: no other one takes part.
	Other hippo.ID
	// Reason says why, with the numbers that decided.
	Reason string
	Remedy Remedy
	// Project is where the memory is to be moved; empty: it stays.
	Project string
}
