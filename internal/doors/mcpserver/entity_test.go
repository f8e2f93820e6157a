package mcpserver_test

import (
	"regexp"
	"testing"
)

// Entities over the two tools of the set graph.
func TestEntities(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("met Carla Rossi about the launch", .5, "work")
	for _, c := range []struct {
		tool string
		args object
		want string
		fail bool
	}{
		{"hippo_graph", object{"action": "entities"}, `No entities\.`, false},
		{"hippo_relate", object{"action": "entity", "from": "Anastasia Petrova", "kind": "person", "aliases": []string{"Ana"}}, `^Recorded Anastasia Petrova \(person\), also Ana  \w+$`, false},
		{"hippo_relate", object{"action": "entity", "name": "ana", "aliases": "the boss"}, `also Ana, the boss  \w+$`, false},
		{"hippo_relate", object{"action": "entity", "from": "Carla Rossi", "description": "sales"}, `^Recorded Carla Rossi  \w+$`, false},
		{"hippo_relate", object{"action": "entity", "from": "Rome", "kind": "place"}, `Rome \(place\)`, false},
		{"hippo_relate", object{"action": "entity", "from": "Nastya"}, `Nastya  \w+$`, false},
		{"hippo_relate", object{"from": "Nastya", "kind": "lives_in", "to": "rome"}, `^Related \w+ lives_in \w+$`, false},
		{"hippo_relate", object{"action": "merge", "from": "Nastya", "to": "petrova"}, `^Merged into .*, also Ana, the boss, Nastya  \w+; 1 relation moved$`, false},
		{"hippo_graph", object{"from": "the boss", "action": "draw"}, `^graph |^flowchart `, false},
		{"hippo_graph", object{"from": "the boss"}, `(?s)0 \w+ Anastasia Petrova.*lives_in`, false},
		{"hippo_graph", object{"from": "the boss", "to": "Rome", "action": "path"}, `lives_in`, false},
		{"hippo_graph", object{"action": "entities", "kinds": []string{"place"}}, `^Rome \(place\)  \w+$`, false},
		{"hippo_graph", object{"action": "entity", "from": "the boss"}, `(?s)^Anastasia Petrova.*\nNow:\n  lives_in \w+ Rome \(place\)\n.*0 memories name it$`, false},
		{"hippo_graph", object{"action": "entity", "from": "Carla"}, `(?s)Named in:\n  \w+ met Carla Rossi.*\n1 memory names it$`, false},
		{"hippo_graph", object{"action": "communities"}, `^1 group of 2 insights with 1 relation\n`, false},
		{"hippo_relate", object{"action": "split", "from": "Ana", "to": "Nastya", "related": []string{"Rome"}}, `^Split off Nastya  \w+; 1 relation moved$`, false},
		{"hippo_relate", object{"action": "forget", "from": "Nastya"}, `^Removed Nastya  \w+$`, false},
		{"hippo_relate", object{"action": "merge", "from": "Rome", "to": "rome"}, `to: must be another entity than from`, true},
		{"hippo_relate", object{"action": "merge", "from": "Rome"}, `to: is required for action merge`, true},
		{"hippo_relate", object{"action": "merge", "from": "nobody", "to": "Rome"}, `no entity "nobody"`, true},
		{"hippo_relate", object{"action": "entity", "from": "Rome", "without": []string{"Roma"}}, `"Roma" is no alias of Rome`, true},
		{"hippo_relate", object{"action": "entity", "from": "Rome", "aliases": []string{"Ana"}}, `is a name of the entity Anastasia Petrova`, true},
		{"hippo_graph", object{"from": "nobody"}, `no recorded entity with that name`, true},
		{"hippo_graph", object{"from": "pool/pool.go:7"}, `is a place in code`, true},
		{"hippo_relate", object{"from": "Rome", "kind": "supports", "to": "pool/pool.go:7"}, `is a place in code`, true},
		{"hippo_graph", object{}, `from: is required`, true},
	} {
		got := s.tool(c.tool, c.args)
		if !regexp.MustCompile(c.want).MatchString(got.Text) || got.IsError != c.fail {
			t.Errorf("%s %v: %q (failed %v), want %s", c.tool, c.args, got.Text, got.IsError, c.want)
		}
	}
}
