package rediscmd

// maxName bounds the length of a command's name with its sub-command, in bytes; gen checks it.
const maxName = 64

// indexSize is a power of two, at least twice the number of commands, so that probes stay short.
const indexSize = 2048

// index is an open-addressing hash table from names to IDs with linear probing; 0 is an empty cell.
var index = buildIndex()

func buildIndex() *[indexSize]uint16 {
	cells := new([indexSize]uint16)
	for id := 1; id < len(names); id++ {
		h := fnvOffset
		for _, c := range []byte(names[id]) {
			h = fnv(h, c)
		}
		i := h % indexSize
		for cells[i] != UnknownID {
			i = (i + 1) % indexSize
		}
		cells[i] = uint16(id)
	}
	return cells
}

// fnvOffset starts FNV-1a in 32 bits (Fowler, Noll and Vo, draft-eastlake-fnv): short, and good enough
// for names of a few letters.
const fnvOffset uint32 = 2166136261

func fnv(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 16777619 }

// name is a command's name in upper case, with its hash.
type name struct {
	buf  [maxName]byte
	n    int
	hash uint32
}

// add appends a word in upper case; it reports false when the name gets too long for any command.
func (m *name) add(word []byte) bool {
	if m.n+len(word) > maxName {
		return false
	}
	h := m.hash
	for i, c := range word {
		c = upper(c)
		m.buf[m.n+i] = c
		h = fnv(h, c)
	}
	m.n += len(word)
	m.hash = h
	return true
}

func (m *name) find() uint16 {
	for i := m.hash % indexSize; ; i = (i + 1) % indexSize {
		id := index[i]
		if id == UnknownID || names[id] == string(m.buf[:m.n]) {
			return id
		}
	}
}

// lookup returns the ID of a command line. A container's own row is found first because only that row
// tells that a sub-command may follow; the sub-command's row still wins.
func lookup(argv [][]byte) uint16 {
	m := name{hash: fnvOffset}
	if len(argv) == 0 || !m.add(argv[0]) {
		return UnknownID
	}
	id := m.find()
	if len(argv) > 1 && table[id].flags&container != 0 && m.add([]byte{' '}) && m.add(argv[1]) {
		if sub := m.find(); sub != UnknownID {
			return sub
		}
	}
	return id
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// is compares an argument with a keyword in upper case, as servers do: without regard to case.
func is(arg []byte, keyword string) bool {
	if len(arg) != len(keyword) {
		return false
	}
	for i, c := range arg {
		if upper(c) != keyword[i] {
			return false
		}
	}
	return true
}

func isAny(arg []byte, keywords ...string) bool {
	for _, k := range keywords {
		if is(arg, k) {
			return true
		}
	}
	return false
}
