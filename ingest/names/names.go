// Package names numbers the names that an input holds, such as those of its partitions and of its
// operations: bytes of the input come in, the numbers of a request.Batch's columns leave. What is kept is
// bounded, so that made-up names cannot fill the memory.
package names

// Others is the name of all that come behind those that are told apart.
const Others = "(others)"

// Labels numbers the names of a column. List only grows.
type Labels struct {
	List          []string
	numbers       map[string]uint32
	recent        memo[uint32]
	most, longest int
}

// NewLabels makes room for most names, of which the first longest bytes count. Those given get the first
// numbers.
func NewLabels(most, longest int, first ...string) *Labels {
	l := &Labels{numbers: map[string]uint32{}, most: most, longest: longest}
	for _, name := range first {
		l.numbers[name] = uint32(len(l.List))
		l.List = append(l.List, name)
	}
	return l
}

// Of returns the number of a name. It allocates for new names only.
func (l *Labels) Of(name []byte) uint32 {
	name = name[:min(len(name), l.longest)]
	recent := l.recent.slot(name)
	if recent.is(name) {
		return recent.value
	}
	n, ok := l.numbers[string(name)]
	if !ok {
		label := string(name)
		if len(l.List) >= l.most {
			label = Others
		}
		if n, ok = l.numbers[label]; !ok {
			n = uint32(len(l.List))
			l.List = append(l.List, label)
			l.numbers[label] = n
		}
	}
	recent.set(name, n)
	return n
}

// memo remembers what the latest texts meant, in front of a map: few different ones make up most of a
// column, and a look into a map costs more than all else that is done to such a cell.
type memo[T any] struct{ slots [256]remembered[T] }

type remembered[T any] struct {
	text  []byte
	value T
	known bool
}

// slot is where a text is, if it is there.
func (m *memo[T]) slot(text []byte) *remembered[T] {
	n := len(text)
	if n < 2 {
		if n == 0 {
			return &m.slots[0]
		}
		return &m.slots[text[0]]
	}
	return &m.slots[(uint8(n)*31+text[0]*7+text[n-2]*13+text[n-1])&255]
}

func (r *remembered[T]) is(text []byte) bool { return r.known && string(r.text) == string(text) }

func (r *remembered[T]) set(text []byte, value T) {
	r.text, r.value, r.known = append(r.text[:0], text...), value, true
}
