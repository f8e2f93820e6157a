package verb

import "github.com/hippo-memory/hippo"

// Machine names a machine with which a store syncs.
type Machine struct{ Machine string }

// Args are the arguments that fill a Machine.
func (m *Machine) Args() []Arg {
	return []Arg{{Name: "machine", Is: Required, As: lacking(Shell), About: "its name or its ID, as the status of sync lists them", Rules: Schema{"maxLength": hippo.MaxName}, To: &m.Machine}}
}

// Carrier names a remote by what carries its files.
type Carrier struct{ Carrier string }

// Args are the arguments that fill a Carrier.
func (c *Carrier) Args() []Arg {
	return []Arg{{Name: "carrier", As: lacking(Shell), About: "what carries the files of the remote, as the status of sync lists it; default: the only one", To: &c.Carrier}}
}
