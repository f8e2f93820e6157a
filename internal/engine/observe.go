package engine

import "context"

// Observer hears of the verbs of callers, for metrics and traces. It returns the context in which a verb is carried out,
// and what is called with its error afterwards. It is safe for concurrent use, and must not wait.
type Observer func(ctx context.Context, verb string) (inner context.Context, end func(err error))

type observerKey struct{}

// Observed returns a context in which o hears of the verbs.
func Observed(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// ObserverOf returns the observer of a context; nil if it has none.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}

// publicName returns the name of a verb as front ends have it; empty for one that they do not have.
func publicName(local string) string {
	switch local {
	case "search", "list", "get", "modify", "reinforce", "forget", "restore", "purge", "compare", "undo", "clusters", "audit", "neighbours", "paths", "communities":
		return local
	case "getAt":
		return "get"
	case "modifyAll", "supersede":
		return "modify"
	case "recordAlone", "packedRecord":
		return "record"
	case "briefWithout":
		return "context"
	case "declare", "endRelations":
		return "relate"
	case "remove":
		return "unrelate"
	case "relationsOf":
		return "relations"
	case "packedStatus":
		return "status"
	case "consolidateAll":
		return "consolidate"
	case "mergeProjects":
		return "change_project"
	case "operations":
		return "log"
	case "formerVersions":
		return "versions"
	case "findEntity", "showEntity":
		return "entity"
	case "listEntities":
		return "entities"
	case "addEntity", "modifyEntity", "removeEntity", "mergeEntities", "splitEntity":
		return "change_entity"
	default:
		return ""
	}
}
