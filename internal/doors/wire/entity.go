package wire

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Entity is an entity as JSON. Without a uuid it was found by rule in texts.
type Entity struct {
	UUID        *hippo.ID `json:"uuid,omitempty"`
	Name        string    `json:"name"`
	Kind        string    `json:"kind,omitempty"`
	Aliases     []string  `json:"aliases,omitempty"`
	Description string    `json:"description,omitempty"`
	Project     string    `json:"project,omitempty"`
	// Memories is how many of the texts that were read name it, for one that was found.
	Memories int `json:"memories,omitempty"`
}

// EntityOf returns an entity as JSON.
func EntityOf(e *api.Entity) *Entity {
	out := &Entity{Name: e.Name, Kind: e.Kind, Aliases: e.Aliases, Description: e.Description, Project: e.Project}
	if !e.Found() {
		out.UUID = &e.ID
	}
	return out
}

// EntityList is a page of entities as JSON.
type EntityList struct {
	Entities []*Entity `json:"entities"`
	Total    int       `json:"total"`
	// Read is how many texts were read for entities that were found; More: there are more texts.
	Read int  `json:"read,omitempty"`
	More bool `json:"more,omitempty"`
}

// EntitiesOf returns a list of entities as JSON.
func EntitiesOf(l *api.EntityList) *EntityList {
	out := &EntityList{Entities: []*Entity{}, Total: l.Total, Read: l.Read, More: l.More}
	for i := range l.Entities {
		e := EntityOf(l.Entities[i].Entity)
		e.Memories = l.Entities[i].Memories
		out.Entities = append(out.Entities, e)
	}
	return out
}

// EntityMoved is what a merge or a split has done, as JSON.
type EntityMoved struct {
	Entity *Entity `json:"entity"`
	Other  *Entity `json:"other"`
	// Moved and Stayed count relations.
	Moved  int `json:"moved"`
	Stayed int `json:"stayed,omitempty"`
}

// EntityMovedOf returns what a merge or a split has done as JSON.
func EntityMovedOf(x *api.EntityMoved) *EntityMoved {
	return &EntityMoved{Entity: EntityOf(x.Entity), Other: EntityOf(x.Other), Moved: x.Moved, Stayed: x.Stayed}
}
