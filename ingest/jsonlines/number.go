package jsonlines

import (
	"math"
	"math/bits"
	"time"

	"keyskew/ingest/timestamp"
)

// decimal reads a number as JSON and logs write it and returns it times 10^exp, cut to a whole number
// and held inside int64. ok is false when b is no number.
func decimal(b []byte, exp int) (v int64, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	var mantissa uint64
	digits, point := 0, false
	i := 0
	for ; i < len(b); i++ {
		c := b[i] - '0'
		switch {
		case c <= 9 && mantissa < math.MaxUint64/10-1:
			mantissa = 10*mantissa + uint64(c)
			if point {
				exp--
			}
		case c <= 9:
			if !point {
				exp++
			}
		case b[i] == '.' && !point:
			point = true
			continue
		default:
			if digits == 0 {
				return 0, false
			}
			e, fine := exponent(b[i:])
			if !fine {
				return 0, false
			}
			return scale(mantissa, exp+e, negative), true
		}
		digits++
	}
	if digits == 0 {
		return 0, false
	}
	return scale(mantissa, exp, negative), true
}

// exponent reads e+12.
func exponent(b []byte) (e int, ok bool) {
	if b[0]|0x20 != 'e' {
		return 0, false
	}
	b = b[1:]
	negative := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(10*e+int(c-'0'), 1000)
	}
	if negative {
		e = -e
	}
	return e, len(b) > 0
}

// scale returns m * 10^exp.
func scale(m uint64, exp int, negative bool) int64 {
	for ; exp < 0 && m > 0; exp++ {
		m /= 10
	}
	for ; exp > 0 && m > 0; exp-- {
		hi, lo := bits.Mul64(m, 10)
		if hi > 0 || lo > math.MaxInt64 {
			lo = math.MaxInt64
			exp = 1
		}
		m = lo
	}
	v := int64(min(m, math.MaxInt64))
	if negative {
		return -v
	}
	return v
}

// Powers of ten from a unit to nanoseconds.
const (
	nanos   = 0
	micros  = 3
	millis  = 6
	seconds = 9
	// ownUnit is for durations that must name their unit.
	ownUnit = -1
)

// durations are the units that a duration may name ("1.5ms", "0.123s").
var durations = []struct {
	name  string
	exp   int
	times int64
}{
	{"", 0, 0}, {"ns", nanos, 1}, {"us", micros, 1}, {"µs", micros, 1}, {"μs", micros, 1},
	{"ms", millis, 1}, {"s", seconds, 1}, {"m", seconds, 60}, {"h", seconds, 3600},
}

// duration reads a duration in nanoseconds: a number whose unit is 10^exp ns, or one or more numbers with
// units, as package time prints them. Of a list ("0.1, 0.2") the sum counts, as nginx means it.
func duration(b []byte, exp int) (ns int64, ok bool) {
	for len(b) > 0 {
		i := 0
		for i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] == '.' || b[i] == '-' && i == 0 ||
			b[i]|0x20 == 'e' || (b[i] == '+' || b[i] == '-') && i > 0 && b[i-1]|0x20 == 'e') {
			i++
		}
		digits := b[:i]
		j := i
		for j < len(b) && (b[j] >= 'a' && b[j] <= 'z' || b[j] >= 0x80) {
			j++
		}
		unit := b[i:j]
		for j < len(b) && (b[j] == ',' || b[j] == ' ') {
			j++
		}
		b = b[j:]
		v, times := int64(0), int64(1)
		if len(unit) == 0 {
			if exp == ownUnit {
				return 0, false
			}
			v, ok = decimal(digits, exp)
		} else {
			ok = false
			for _, d := range durations[1:] {
				if string(unit) == d.name {
					v, ok = decimal(digits, d.exp)
					times = d.times
				}
			}
		}
		if !ok || v < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(uint64(v), uint64(times))
		if hi > 0 || lo > math.MaxInt64 || ns > math.MaxInt64-int64(lo) {
			return math.MaxInt64, true
		}
		ns += int64(lo)
	}
	return ns, ok
}

// clock reads times of one input. The zero value reads numbers as seconds.
type clock struct {
	exp    int            // numbers are in 10^exp ns
	layout string         // of package time; "" knows the shapes below
	zone   *time.Location // of times that name none; nil is UTC
}

// epochUnit tells the unit of a count since 1970 by its size. Below 10^9 it is taken as seconds since
// the beginning of a trace.
func epochUnit(v float64) int {
	switch {
	case v < 1e11:
		return seconds
	case v < 1e14:
		return millis
	case v < 1e17:
		return micros
	}
	return nanos
}

// read returns nanoseconds since 1970.
func (c *clock) read(b []byte) (ns int64, ok bool) {
	if n := len(b); n > 2 && b[0] == '[' && b[n-1] == ']' && c.layout == "" { // %t of Apache
		b = b[1 : n-1]
	}
	switch {
	case c.layout != "":
		zone := c.zone
		if zone == nil {
			zone = time.UTC
		}
		t, err := time.ParseInLocation(c.layout, string(b), zone)
		if err != nil {
			return 0, false
		}
		return nanoseconds(t)
	case len(b) > 10 && (b[4] == '-' || b[4] == '/'):
		return c.iso(b)
	case len(b) >= 20 && b[2] == '/' && b[6] == '/':
		return c.common(b)
	}
	return decimal(b, c.exp)
}

// iso reads 2006-01-02T15:04:05.999999999Z07:00 and its relatives: a space or an underscore for the T,
// slashes in the date, a comma before the fraction, a space before the zone, no zone at all.
func (c *clock) iso(b []byte) (ns int64, ok bool) {
	if len(b) < 19 || b[7] != b[4] || b[10] != 'T' && b[10] != 't' && b[10] != ' ' && b[10] != '_' {
		return 0, false
	}
	year, o1 := two(b[0:], true)
	cent, o2 := two(b[2:], true)
	month, o3 := two(b[5:], true)
	day, o4 := two(b[8:], o1 && o2 && o3)
	return c.clockTime(b[11:], 100*year+cent, month, day, o4)
}

// common reads 02/Jan/2006:15:04:05 -0700, also with a space between date and time.
func (c *clock) common(b []byte) (ns int64, ok bool) {
	month := timestamp.Month(b[3:6])
	day, o1 := two(b, month > 0)
	year, o2 := two(b[7:], o1)
	cent, o3 := two(b[9:], o2)
	if b[11] != ':' && b[11] != ' ' {
		return 0, false
	}
	return c.clockTime(b[12:], 100*year+cent, month, day, o3)
}

// clockTime reads 15:04:05 with what may follow.
func (c *clock) clockTime(b []byte, year, month, day int, ok bool) (int64, bool) {
	if !ok || len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return 0, false
	}
	hour, o1 := two(b, true)
	minute, o2 := two(b[3:], o1)
	second, o3 := two(b[6:], o2)
	if !o3 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60 {
		return 0, false
	}
	b = b[8:]
	nanosecond := int64(0)
	if len(b) > 1 && (b[0] == '.' || b[0] == ',') {
		n := 0
		nanosecond, n = timestamp.Fraction(b[1:])
		b = b[1+n:]
	}
	if len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	zone, east := c.zone, 0
	switch {
	case len(b) == 0:
		if zone == nil {
			zone = time.UTC
		}
	default:
		if east, ok = timestamp.Offset(b); !ok {
			return 0, false
		}
		zone = time.UTC
	}
	return nanoseconds(time.Date(year, time.Month(month), day, hour, minute, second-east, int(nanosecond), zone))
}

// two reads two digits.
func two(b []byte, ok bool) (int, bool) {
	if !ok || len(b) < 2 || b[0]-'0' > 9 || b[1]-'0' > 9 {
		return 0, false
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), true
}

// nanoseconds is t.UnixNano for the years that it can hold.
func nanoseconds(t time.Time) (int64, bool) {
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0, false
	}
	return t.UnixNano(), true
}
