package rediscmd

import (
	"math"

	"keyskew/ingest/request"
)

// keySpec says where one group of keys is, after the key specifications of Redis 7 (COMMAND INFO).
type keySpec struct {
	// keyword, when set, makes the keys begin after the first argument equal to it, sought from first on.
	keyword string
	first   int
	// counted means that the argument at first is the number of keys, which follow it.
	counted bool
	// last, unless counted, is the position of the last key: from first on, or from the end if negative.
	last int
	step int

	op      request.Op
	algebra request.Algebra
}

func (s *keySpec) appendTo(dst []Touch, argv [][]byte) []Touch {
	first := s.first
	if s.keyword != "" {
		for first < len(argv) && !is(argv[first], s.keyword) {
			first++
		}
		first++
	}
	last := len(argv) + s.last
	switch {
	case s.counted:
		n := keyCount(argv, first)
		first++
		last = first + (n-1)*s.step
	case s.last >= 0:
		last = first + s.last
	}
	for i := first; i <= min(last, len(argv)-1); i += s.step {
		dst = append(dst, Touch{Arg: i, Op: s.op, Algebra: s.algebra})
	}
	return dst
}

// keyCount reads the number of keys at a position: 0 if it is no number, and never more than there are
// arguments.
func keyCount(argv [][]byte, at int) int {
	if at >= len(argv) {
		return 0
	}
	return int(min(max(positive(argv[at]), 0), int64(len(argv))))
}

// positive reads a decimal number above 0, at most MaxInt64; anything else is -1.
func positive(arg []byte) int64 {
	n := int64(0)
	for _, c := range arg {
		if c < '0' || c > '9' {
			return -1
		}
		d := int64(c - '0')
		if n > (math.MaxInt64-d)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + d
	}
	if n == 0 {
		return -1
	}
	return n
}

// millis turns a lifetime in the given unit into milliseconds.
func millis(arg []byte, perUnit int64) int64 {
	n := positive(arg)
	if n < 0 {
		return -1
	}
	if n > math.MaxInt64/perUnit {
		return math.MaxInt64
	}
	return n * perUnit
}
