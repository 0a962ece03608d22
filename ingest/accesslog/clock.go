package accesslog

import (
	"bytes"
	"math"
	"time"

	"keyskew/ingest/timestamp"
)

// clock reads times. It remembers the last text: a busy log has thousands of lines a second.
type clock struct {
	zone *time.Location // of times that name none
	text [40]byte
	n    int
	ns   int64
	// midnight is that of the day in text, for texts as long as clfTime.
	midnight int64
}

// clfTime is the form of nearly all times in the common log format.
const clfTime = "00/Mmm/0000:00:00:00 +0000"

func newClock(zone *time.Location) *clock {
	if zone == nil {
		zone = time.UTC
	}
	return &clock{zone: zone}
}

// bracket reads the time of the common log format behind its opening bracket. n is the length up to the
// closing bracket, 0 when b begins with no such time.
func (c *clock) bracket(b []byte) (ns int64, n int) {
	if n = c.n; n > 0 && len(b) > n && b[n] == ']' && string(b[:n]) == string(c.text[:n]) {
		return c.ns, n
	}
	if ns, ok := c.sameDay(b); ok {
		return ns, len(clfTime)
	}
	const shortest = len("02/Jan/2006 15:04:05")
	if len(b) <= shortest || b[2] != '/' && b[4] != '-' {
		return 0, 0
	}
	n = bytes.IndexByte(b[:min(len(b), len(c.text))], ']')
	if n < shortest-1 {
		return 0, 0
	}
	ns, ok := c.read(b[:n])
	if !ok {
		return 0, 0
	}
	return ns, n
}

// read reads a time in any of the ways in which access logs write it: that of the common log format with
// or without fractions and zone, RFC 3339 and its relatives, ctime's, seconds since 1970 with or without
// fractions, or milli-, micro- and nanoseconds since 1970, told by their length.
func (c *clock) read(b []byte) (int64, bool) {
	if len(b) == c.n && string(b) == string(c.text[:c.n]) {
		return c.ns, c.n > 0
	}
	ns, ok := c.parse(b)
	if ok && len(b) <= len(c.text) {
		c.n = copy(c.text[:], b)
		c.ns = ns
		if len(b) == len(clfTime) && b[2] == '/' {
			since, _ := timeOfDay(b[12:20])
			c.midnight = ns - since
		}
	}
	return ns, ok
}

// sameDay reads a time of the day and zone of the last one: the dates of a log change once a day.
func (c *clock) sameDay(b []byte) (int64, bool) {
	const n, day, zone = len(clfTime), len("00/Mmm/0000:"), len("00/Mmm/0000:00:00:00")
	if c.n != n || c.text[2] != '/' || len(b) <= n || b[n] != ']' ||
		string(b[:day]) != string(c.text[:day]) || string(b[zone:n]) != string(c.text[zone:n]) {
		return 0, false
	}
	since, length := timeOfDay(b[day:zone])
	if length != zone-day {
		return 0, false
	}
	copy(c.text[:], b[:n])
	c.ns = c.midnight + since
	return c.ns, true
}

func (c *clock) parse(b []byte) (int64, bool) {
	switch {
	case timestamp.Shaped(b, "00/Mmm/0000") && len(b) >= 20 && (b[11] == ':' || b[11] == ' '):
		month := timestamp.Month(b[3:6])
		return c.compose(number(b[7:11]), month, number(b[:2]), b[12:])
	case timestamp.Shaped(b, "0000-00-00") && len(b) >= 19 && (b[10] == 'T' || b[10] == ' ' || b[10] == '\t'):
		return c.compose(number(b[:4]), number(b[5:7]), number(b[8:10]), b[11:])
	case len(b) == len(time.ANSIC) && timestamp.Shaped(b, "Www Mmm"): // "Sun Mar 13 22:49:12 2016"
		day := number(bytes.TrimLeft(b[8:10], " "))
		return c.compose(number(b[20:24]), timestamp.Month(b[4:7]), day, b[11:19])
	}
	return epoch(b)
}

// compose reads the time of day, "15:04:05" with perhaps a fraction and a zone, and puts it to a date.
func (c *clock) compose(year, month, day int, b []byte) (int64, bool) {
	if year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	sinceMidnight, n := timeOfDay(b)
	if n == 0 {
		return 0, false
	}
	zone := c.zone
	offset := 0
	if rest := bytes.TrimLeft(b[n:], " "); len(rest) > 0 {
		var ok bool
		if offset, ok = timestamp.Offset(rest); !ok {
			return 0, false
		}
		zone = time.UTC
	}
	seconds := int(sinceMidnight / int64(time.Second))
	at := time.Date(year, time.Month(month), day, 0, 0, seconds-offset, int(sinceMidnight%int64(time.Second)), zone)
	return at.UnixNano(), true
}

// timeOfDay reads "15:04:05", perhaps with a fraction, as nanoseconds since midnight. n is its length, 0
// when there is none.
func timeOfDay(b []byte) (ns int64, n int) {
	if !timestamp.Shaped(b, "00:00:00") {
		return 0, 0
	}
	h, m, s := two(b), two(b[3:]), two(b[6:])
	if h > 23 || m > 59 || s > 60 {
		return 0, 0
	}
	ns = int64(h*3600+m*60+s) * int64(time.Second)
	n = 8
	if n < len(b) && (b[n] == '.' || b[n] == ',') {
		f, d := timestamp.Fraction(b[n+1:])
		if d == 0 {
			return 0, 0
		}
		ns += f
		n += 1 + d
	}
	return ns, n
}

// two reads two digits that are known to be digits.
func two(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }

// epoch reads a number since 1970: with a point it is seconds, otherwise its length tells the unit.
func epoch(b []byte) (int64, bool) {
	whole, rest := b, []byte(nil)
	point := bytes.IndexByte(b, '.')
	if point >= 0 {
		whole, rest = b[:point], b[point+1:]
	}
	v, ok := integer(whole)
	if !ok {
		return 0, false
	}
	unit := time.Second
	switch n := len(whole); {
	case n >= 9 && n <= 11:
	case point >= 0 || n < 9:
		return 0, false
	case n <= 14:
		unit = time.Millisecond
	case n <= 17:
		unit = time.Microsecond
	default:
		unit = time.Nanosecond
	}
	if v > uint64(math.MaxInt64)/uint64(unit) {
		return 0, false
	}
	ns := int64(v) * int64(unit)
	if point >= 0 {
		f, d := timestamp.Fraction(rest)
		if d != len(rest) {
			return 0, false
		}
		ns += min(f, math.MaxInt64-ns)
	}
	return ns, true
}

// number reads digits that are known to be digits; anything else is -1.
func number(b []byte) int {
	v, ok := integer(b)
	if !ok || v > math.MaxInt32 {
		return -1
	}
	return int(v)
}

// integer reads decimal digits; more than fit are the largest number.
func integer(b []byte) (uint64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	var v uint64
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 {
			return 0, false
		}
		if v > (math.MaxUint64-d)/10 {
			return math.MaxUint64, allDigits(b)
		}
		v = v*10 + d
	}
	return v, true
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// duration reads a decimal number of units as nanoseconds; -1 where the log says none ("-", "-1", "").
func duration(b []byte, unit time.Duration) int64 {
	whole, rest, pointed := bytes.Cut(b, []byte{'.'})
	v, ok := integer(whole)
	if !ok {
		return -1
	}
	if v > uint64(math.MaxInt64)/uint64(unit) {
		return math.MaxInt64
	}
	ns := int64(v) * int64(unit)
	if pointed {
		f, d := timestamp.Fraction(rest)
		if d != len(rest) {
			return -1
		}
		f = f / int64(time.Second/unit)
		ns += min(f, math.MaxInt64-ns)
	}
	return ns
}

// statusOf reads an HTTP status, 0 where the log says none.
func statusOf(b []byte) uint16 {
	if len(b) != 3 || !allDigits(b) {
		return 0
	}
	return uint16(b[0]-'0')*100 + uint16(b[1]-'0')*10 + uint16(b[2]-'0')
}

// sizeOf reads a number of bytes, 0 where the log says none.
func sizeOf(b []byte) uint64 {
	v, _ := integer(b)
	return v
}
