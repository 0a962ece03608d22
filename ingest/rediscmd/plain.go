package rediscmd

import (
	"encoding/binary"

	"keyskew/ingest/request"
)

// Plain is a command that touches one key, its first argument, whatever the other arguments are, up to a
// number of them: most of all traffic (GET, SET without options, INCR, HSET). It says what Resolve says
// about such a line.
type Plain struct {
	ID      uint16
	Op      request.Op
	Algebra request.Algebra
	// MaxArgs is the longest vector, the command included, for which this holds.
	MaxArgs int
}

// plainOf says whether a command is plain.
func plainOf(id uint16) (Plain, bool) {
	c := &table[id]
	if len(c.keys) != 1 || c.flags&(container|script|secret) != 0 {
		return Plain{}, false
	}
	k := &c.keys[0]
	if k.keyword != "" || k.counted || k.first != 1 || k.last != 0 {
		return Plain{}, false
	}
	p := Plain{ID: id, Op: k.op, Algebra: k.algebra, MaxArgs: 1 << 30}
	switch c.rule {
	case ruleNone, ruleSeconds, ruleMillis, ruleRestore:
	case ruleSet:
		p.MaxArgs = 3 // options begin behind the value
	case ruleZAdd:
		p.MaxArgs = 4 // INCR stands in front of the score
	default:
		return Plain{}, false
	}
	return p, true
}

// PlainName is how long a name of PlainCommand can be.
const PlainName = 16

// plainCell is a cell of the index of plain commands: the name's bytes as two words, letters folded.
type plainCell struct {
	lo, hi  uint64
	command *Plain
}

const plainBits = 10

// plainIndex is an open-addressing table of the plain commands with names of up to PlainName bytes.
var plainIndex = func() *[1 << plainBits]plainCell {
	cells := new([1 << plainBits]plainCell)
	for id := range table {
		p, ok := plainOf(uint16(id))
		if !ok || len(names[id]) > PlainName {
			continue
		}
		var buf [PlainName]byte
		copy(buf[:], names[id])
		lo, hi := FoldName(binary.LittleEndian.Uint64(buf[:8])), FoldName(binary.LittleEndian.Uint64(buf[8:]))
		i := plainHash(lo, hi)
		for cells[i].command != nil {
			i = (i + 1) % (1 << plainBits)
		}
		cells[i] = plainCell{lo, hi, &p}
	}
	return cells
}()

// FoldName clears the bit that tells small letters from capitals in eight bytes of a name. Of two
// different printable names it makes one only if they differ in the case of letters alone: what else
// differs in that bit only is a control character, which MONITOR escapes.
func FoldName(word uint64) uint64 { return word &^ 0x2020202020202020 }

func plainHash(lo, hi uint64) uint64 {
	return (lo ^ hi*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd >> (64 - plainBits)
}

// PlainCommand finds a plain command by its name as two folded words, zero-padded; nil when there is none.
func PlainCommand(lo, hi uint64) *Plain {
	for i := plainHash(lo, hi); ; i = (i + 1) % (1 << plainBits) {
		c := &plainIndex[i]
		if c.lo == lo && c.hi == hi || c.command == nil {
			return c.command
		}
	}
}
