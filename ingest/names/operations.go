package names

import (
	"bytes"
	"strings"

	"keyskew/ingest/request"
)

const (
	// maxOperations bounds the operations of an input that are told apart, far above what any has.
	maxOperations = 4096
	// maxName is the length to which the name of one is cut, in bytes.
	maxName = 64
)

// Operation is what one spelling of an operation means.
type Operation struct {
	ID      uint16 // in Operations.List
	Op      request.Op
	Algebra request.Algebra
	// Note is the remark that an operation which is not known deserves; "" for the others.
	Note string
}

// Operations numbers the operations, or HTTP methods, of an input. List has their names, in upper case
// and as they may be printed; it only grows.
type Operations struct {
	List   []string
	ids    map[string]uint16    // by name
	by     map[string]Operation // as spelled
	recent memo[Operation]
	means  func(name []byte) (request.Op, request.Algebra, bool)
}

// NewOperations makes the numbering; none is the name of requests that say no operation, and gets the
// number 0. means says what an operation does, without blanks around it, and whether it is known.
func NewOperations(none string, means func(name []byte) (request.Op, request.Algebra, bool)) *Operations {
	return &Operations{
		List: []string{none}, ids: map[string]uint16{none: 0}, by: map[string]Operation{}, means: means,
	}
}

// Of returns what an operation means. It allocates for new spellings only.
func (o *Operations) Of(name []byte) Operation {
	recent := o.recent.slot(name)
	if recent.is(name) {
		return recent.value
	}
	operation, ok := o.by[string(name)]
	if !ok {
		operation = o.learn(name)
	}
	recent.set(name, operation)
	return operation
}

func (o *Operations) learn(spelled []byte) Operation {
	trimmed := bytes.TrimSpace(spelled)
	name := strings.ToUpper(request.Show(trimmed, maxName))
	id, ok := o.ids[name]
	if !ok {
		if len(o.List) >= maxOperations {
			name = "?"
		}
		if id, ok = o.ids[name]; !ok {
			id = uint16(len(o.List))
			o.List = append(o.List, name)
			o.ids[name] = id
		}
	}
	op, algebra, ok := o.means(trimmed)
	operation := Operation{ID: id, Op: op, Algebra: algebra}
	if !ok {
		operation.Note = "unknown operation " + name + ": it counts neither as a read nor as a write"
	}
	if len(o.by) < 2*maxOperations {
		o.by[string(spelled)] = operation
	}
	return operation
}
