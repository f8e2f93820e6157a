// Package api defines the requests and the answers of the verbs of Hippo, a memory for AI agents.
//
// A request is a struct that is named after its verb: [Search] is what the method Search of package client takes. The zero
// value of a field asks for the default. An answer is also a struct of this package, or a type of package [hippo] for stored data: a
// [hippo.Memory], a [hippo.Relation], a [hippo.Operation].
//
// In this package a memory is one record, which the tools call an insight. Days are active days: they advance only when
// the memory is used, see [hippo.Day]. Importance, relevance and confidence lie in [0, 1]. Times are UTC, and the zero time
// means that none is given. A list that an answer does not need is nil.
//
// A request that breaks a rule is a [*hippo.FieldError], which names the field, and changes nothing. An ID that does not
// exist is a [*hippo.UnknownError]. See package hippo for the other errors.
package api
