package request

// Flags qualify one row of a batch.
type Flags uint8

const (
	// BeginsCommand marks the row at which a server command counts: a 3-key MGET is one command and
	// three rows, a call inside a script is a row of its script's command.
	BeginsCommand Flags = 1 << iota
	// NoKey marks a row that touches no key (PING, SCAN). Without BeginsCommand it only names a command
	// that counts at the row behind it: an EVAL, whose keys are those of its calls.
	NoKey
)

// Class is what many rows have in common: the command and what it does to the key. A batch numbers its
// classes, so that a row carries one number for all of it, and whoever counts rows by key and class needs
// to look at a class only once.
type Class struct {
	// Command indexes the batch's Names.
	Command uint16
	// Keys is the number of keys of the row's command, each of which has a row: the work of the command
	// is divided among them. Up to 1: the command counts whole at the row that begins it.
	Keys    uint16
	Op      Op
	Flags   Flags
	Algebra Algebra
}

// Classes numbers the classes of a batch in the order in which they come.
type Classes struct {
	list       []Class
	numbers    map[Class]uint32
	last       Class // the class that was asked for last, and its number
	lastNumber uint32
}

// List has the classes by number. It only grows: a copy of the slice stays true.
func (s *Classes) List() []Class { return s.list }

// number returns the number of a class.
func (s *Classes) number(c Class) uint32 {
	if c == s.last && len(s.list) > 0 {
		return s.lastNumber
	}
	n, ok := s.numbers[c]
	if !ok {
		n = uint32(len(s.list))
		s.list = append(s.list, c)
		s.numbers[c] = n
	}
	s.last, s.lastNumber = c, n
	return n
}

// Number returns the number of a class in this batch, which stays the same as long as the batch exists.
func (b *Batch) Number(c Class) uint32 { return b.classes.number(c) }

// Classes are the classes of the batch; the same, grown, as long as the batch exists.
func (b *Batch) Classes() *Classes { return b.classes }

// ClassOf is the class of row i. It must not be changed.
func (b *Batch) ClassOf(i int) *Class { return &b.classes.list[b.Class[i]] }
