package delimited

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"time"

	"keyskew/ingest/timestamp"
)

// clock reads the cells of a time column. It holds storage, so each decoder has its own.
type clock struct {
	// unit is how many nanoseconds one is, for numbers; 0 means text.
	unit int64
	// layout is of package time; "" is ISO 8601 in its usual spellings.
	layout string
	zone   *time.Location // of times that name none; nil is UTC
	words  string         // what was found, for the user

	// The latest text read by layout and what it came to: stamps repeat, and package time wants strings.
	text []byte
	ns   int64
	ok   bool
}

// layouts are tried on text that is not ISO 8601.
var layouts = []struct{ layout, words string }{
	{"02/Jan/2006:15:04:05 -0700", "date as in access logs"},
	{"02/Jan/2006:15:04:05", "date as in access logs"},
	{time.RFC1123Z, "RFC 1123 date"},
	{time.RFC1123, "RFC 1123 date"},
	{time.RFC850, "RFC 850 date"},
	{time.ANSIC, "C date"},
	{time.UnixDate, "Unix date"},
	{"02/Jan/2006 15:04:05", "date as in access logs and time"},
	{"2006-01-02 3:04:05 PM", "date, and time of twelve hours"},
	{"20060102 15:04:05", "date in 8 digits and time"},
	{"02.01.2006 15:04:05", "date with the day first and time"},
	{compact, "date in 14 digits"},
}

// fileTime stands for the unit of Windows file times (FILETIME): 100 nanoseconds, but since 1601, which
// is fileTimeEpoch such units before 1970.
const (
	fileTime      = -1
	fileTimeEpoch = 116_444_736_000_000_000
)

const compact = "20060102150405"

var units = []struct {
	name  string
	unit  int64
	from  float64 // the smallest number that is taken for a time since 1970 in it
	words string
}{
	{"ns", 1, 1e17, "Unix nanoseconds"},
	{"us", 1e3, 1e14, "Unix microseconds"},
	{"ms", 1e6, 1e11, "Unix milliseconds"},
	{"s", 1e9, 1e9, "Unix seconds"},
}

// newClock makes a clock from what the user says (a layout, or a unit) or else from cells of the column;
// false when half of them or more cannot be read.
func newClock(cells [][]byte, format string, zone *time.Location) (clock, bool) {
	c := clock{zone: zone}
	if format != "" {
		c.layout, c.words = format, format
		for _, u := range units {
			if u.name == format {
				c.layout, c.unit, c.words = "", u.unit, u.name
			}
		}
		return c, true
	}
	if c.unit, c.words = unitOf(cells); c.unit != 0 {
		return c, true
	}
	for _, l := range append(layouts[len(layouts)-1:], layouts...) {
		try := clock{zone: zone, layout: l.layout, words: l.words}
		if try.reads(cells) {
			try.text = nil // decoders that are made from it would share its storage
			return try, true
		}
	}
	c.words = "ISO 8601"
	return c, c.reads(cells)
}

// reads says that the clock can read more than half of the cells.
func (c *clock) reads(cells [][]byte) bool {
	n := 0
	for _, cell := range cells {
		if _, ok := c.read(cell); ok {
			n++
		}
	}
	return 2*n > len(cells)
}

// unitOf tells the unit of numbers by their size: 10 digits are seconds since 1970 now and for 260 years,
// 13 milliseconds, 16 microseconds, 19 nanoseconds. Smaller ones count from a beginning of their own.
// No unit when half of the cells or more are no numbers, or all are dates in 14 digits.
func unitOf(cells [][]byte) (int64, string) {
	numbers, dates, biggest := 0, 0, 0.0
	date := clock{layout: compact}
	for _, cell := range cells {
		f, err := strconv.ParseFloat(string(bytes.TrimSpace(cell)), 64)
		if err != nil || !numeric(cell) || f < 0 {
			continue
		}
		numbers++
		biggest = max(biggest, f)
		if len(cell) == len(compact) && (cell[0] == '1' || cell[0] == '2') {
			if _, ok := date.read(cell); ok {
				dates++
			}
		}
	}
	if 2*numbers <= len(cells) || dates == numbers {
		return 0, ""
	}
	if 1.2e17 <= biggest && biggest < 1.6e17 {
		return fileTime, "Windows file time" // of 1981 to 2108; as nanoseconds these would be days of 1973 and 1974
	}
	for _, u := range units {
		if biggest >= u.from {
			return u.unit, u.words
		}
	}
	return 1e9, "relative seconds"
}

// read returns a time in nanoseconds since 1970 UTC.
func (c *clock) read(cell []byte) (int64, bool) {
	switch {
	case c.unit == fileTime:
		n, ok := readNumber(cell, 1)
		n -= fileTimeEpoch
		if ok = ok && n > math.MinInt64/100 && n < math.MaxInt64/100; !ok {
			return 0, false
		}
		return n * 100, true
	case c.unit != 0:
		return readNumber(cell, c.unit)
	}
	if c.layout == "" {
		return readISO(bytes.TrimSpace(cell), c.zone)
	}
	if !bytes.Equal(c.text, cell) || c.text == nil {
		zone := c.zone
		if zone == nil {
			zone = time.UTC
		}
		t, err := time.ParseInLocation(c.layout, string(bytes.TrimSpace(cell)), zone)
		c.text = append(c.text[:0], cell...)
		c.ns, c.ok = t.UnixNano(), err == nil && 1678 <= t.Year() && t.Year() <= 2261
	}
	return c.ns, c.ok
}

// exact is a number of digits that cannot overflow.
const exact = 18

var powers = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// readNumber reads a decimal of units: digits, perhaps a point and more digits. Digits behind the ninth
// are dropped. Too large is no number.
func readNumber(cell []byte, unit int64) (int64, bool) {
	n, i := int64(0), 0
	for ; i < len(cell); i++ {
		digit := cell[i] - '0'
		if digit > 9 {
			break
		}
		if i >= exact && (n > math.MaxInt64/10 || n == math.MaxInt64/10 && digit > math.MaxInt64%10) {
			return 0, false
		}
		n = n*10 + int64(digit)
	}
	if i == 0 {
		if trimmed := bytes.TrimSpace(cell); len(trimmed) > 0 && len(trimmed) < len(cell) {
			return readNumber(trimmed, unit)
		}
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(n), uint64(unit))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	n = int64(lo)
	if i == len(cell) {
		return n, true
	}
	rest := cell[i:]
	if rest[0] == '.' {
		rest = rest[1:]
		part, places := int64(0), 0
		for len(rest) > 0 && rest[0]-'0' <= 9 {
			if places < len(powers)-1 {
				part = part*10 + int64(rest[0]-'0')
				places++
			}
			rest = rest[1:]
		}
		part = part * unit / powers[places]
		if n > math.MaxInt64-part {
			return 0, false
		}
		n += part
	}
	return n, len(rest) == 0 || len(bytes.TrimSpace(rest)) == 0
}

// readISO reads dates and times as ISO 8601 and RFC 3339 spell them and as databases print them:
// 2006-01-02, then perhaps T or a space and 15:04, 15:04:05 or 15:04:05.999999999, then perhaps Z, UTC or
// an offset. The date may have / for -.
func readISO(s []byte, zone *time.Location) (int64, bool) {
	if len(s) < 10 || (s[4] != '-' && s[4] != '/') || s[7] != s[4] {
		return 0, false
	}
	year, a := digits(s[0:4])
	month, b := digits(s[5:7])
	day, c := digits(s[8:10])
	if !a || !b || !c || year < 1678 || year > 2261 || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) {
		return 0, false
	}
	hour, minute, second, nano := 0, 0, 0, int64(0)
	if s = s[10:]; len(s) > 0 {
		if len(s) < 6 || s[3] != ':' || s[0] != 'T' && s[0] != 't' && s[0] != ' ' {
			return 0, false
		}
		hour, a = digits(s[1:3])
		minute, b = digits(s[4:6])
		if s = s[6:]; len(s) >= 3 && s[0] == ':' {
			second, c = digits(s[1:3])
			s = s[3:]
		}
		if !a || !b || !c || hour > 23 || minute > 59 || second > 60 {
			return 0, false
		}
		if len(s) > 1 && (s[0] == '.' || s[0] == ',') {
			var n int
			nano, n = timestamp.Fraction(s[1:])
			s = s[1+n:]
		}
	}
	if s = bytes.TrimSpace(s); len(s) == 0 && zone != nil && zone != time.UTC {
		return time.Date(year, time.Month(month), day, hour, minute, second, int(nano), zone).UnixNano(), true
	}
	offset, ok := 0, true
	if len(s) > 0 {
		offset, ok = timestamp.Offset(s)
	}
	seconds := int64(daysBefore(year, month, day))*86400 + int64(hour*3600+minute*60+second-offset)
	return seconds*1e9 + nano, ok
}

// digits reads a short number that is nothing but digits.
func digits(s []byte) (int, bool) {
	n := 0
	for _, c := range s {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

func monthDays(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysBefore is the number of days from 1970-01-01 to a date of the Gregorian calendar (days_from_civil
// in Hinnant, "chrono-Compatible Low-Level Date Algorithms").
func daysBefore(year, month, day int) int {
	if month <= 2 {
		year--
	}
	era := year / 400
	yoe := year - era*400
	doy := (153*((month+9)%12)+2)/5 + day - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// numeric says that a cell is a plain number: digits, with perhaps a sign in front and a point inside.
func numeric(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	if len(cell) > 0 && (cell[0] == '-' || cell[0] == '+') {
		cell = cell[1:]
	}
	points, n := 0, 0
	for _, c := range cell {
		switch {
		case c == '.':
			points++
		case c-'0' <= 9:
			n++
		default:
			return false
		}
	}
	return n > 0 && points <= 1
}
