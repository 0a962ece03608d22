package analyze

import "keyskew/ingest/request"

// kind is a class of rows as the summary sees it.
type kind struct {
	number  uint32 // among the kinds of the summary
	command uint16 // in Summary.names
	op      request.Op
	algebra request.Algebra
	begins  bool
	// work is what a row stands for of its command, in workUnits.
	work uint64
}

// workUnits is how finely a command's work is divided among its keys.
const workUnits = 1 << 20

func kindOf(c *request.Class, command uint16) kind {
	k := kind{command: command, op: c.Op, algebra: c.Algebra, begins: c.Flags&request.BeginsCommand != 0}
	switch {
	case c.Keys > 1:
		k.work = workUnits / uint64(c.Keys)
	case k.begins:
		k.work = workUnits
	}
	return k
}

// kindsOf translates the classes of a decoder, whose commands have these names.
func (s *Summary) kindsOf(classes []request.Class, names []string) []kind {
	out := make([]kind, len(classes))
	for i := range classes {
		out[i] = s.numbered(kindOf(&classes[i], s.command(names[classes[i].Command])))
	}
	return out
}

// numbered gives a kind its number.
func (s *Summary) numbered(k kind) kind {
	k.number = 0
	n, ok := s.kindNumbers[k]
	if !ok {
		n = uint32(len(s.kinds))
		s.kindNumbers[k] = n
		k.number = n
		s.kinds = append(s.kinds, k)
	}
	return s.kinds[n]
}

// translate returns the kinds of another summary as kinds of this one.
func (s *Summary) translate(o *Summary) []kind {
	out := make([]kind, len(o.kinds))
	for i, k := range o.kinds {
		k.command = s.command(o.names[k.command])
		out[i] = s.numbered(k)
	}
	return out
}
