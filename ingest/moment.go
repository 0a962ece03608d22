package ingest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Moment is a time as a user names it. The zero value is no time at all.
type Moment struct {
	text string
	kind momentKind
	// ns is since 1970 UTC, since the day's beginning, or since the first record.
	ns   int64
	zone *time.Location
}

type momentKind uint8

const (
	noMoment momentKind = iota
	absolute
	ofDay
	afterStart
)

// layouts of an absolute time; those without a zone are in the user's.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	"02/Jan/2006:15:04:05 -0700", "02/Jan/2006:15:04:05", "02/Jan/2006:15:04", "02/Jan/2006", // as in access logs
}

var dayLayouts = []string{"15:04:05.999999999", "15:04"}

// ParseMoment reads a time: RFC 3339, "2006-01-02 15:04" (seconds optional), as in access logs or a date, in
// zone where it names none; seconds since 1970 (or milli-, micro- or nanoseconds, by their number of digits); "15:04"
// or "15:04:05" on the day of the first record; or "+10m", after the first record.
func ParseMoment(text string, zone *time.Location) (Moment, error) {
	if zone == nil {
		zone = time.UTC
	}
	m := Moment{text: text, zone: zone}
	text = strings.Trim(text, "[] ")
	if strings.HasPrefix(text, "-") {
		return m, fmt.Errorf("%q: the end is not known while reading; give a time, or +TIME after the first record", text)
	}
	if after, ok := strings.CutPrefix(text, "+"); ok {
		d, err := time.ParseDuration(after)
		if err != nil {
			return m, fmt.Errorf("%q: after the + comes a time such as 90s, 10m or 1h30m", text)
		}
		m.kind, m.ns = afterStart, int64(d)
		return m, nil
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			if y := t.Year(); y < 1678 || y > 2261 {
				return m, fmt.Errorf("%q: only the years 1678 to 2261 can be told", text)
			}
			m.kind, m.ns = absolute, t.UnixNano()
			return m, nil
		}
	}
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			h, mi, s := t.Clock()
			m.kind = ofDay
			m.ns = int64(h)*int64(time.Hour) + int64(mi)*int64(time.Minute) + int64(s)*int64(time.Second) + int64(t.Nanosecond())
			return m, nil
		}
	}
	if ns, ok := parseEpoch(text); ok {
		m.kind, m.ns = absolute, ns
		return m, nil
	}
	return m, fmt.Errorf("%q is no time: want 2006-01-02T15:04:05Z, \"2006-01-02 15:04\", 15:04, seconds since 1970, or +10m", text)
}

// parseEpoch reads a number since 1970: of seconds up to 11 digits, then of milli-, micro- and
// nanoseconds, three digits each. Seconds may have a fraction.
func parseEpoch(text string) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || len(fraction) > 9 {
		return 0, false
	}
	unit := int64(time.Second)
	for digits := len(whole); digits > 11 && unit > 1; digits -= 3 {
		unit /= 1000
	}
	if n > uint64(math.MaxInt64/unit-1) {
		return 0, false
	}
	ns := int64(n) * unit
	if fraction != "" {
		f, err := strconv.ParseUint((fraction + "000000000")[:9], 10, 63)
		if err != nil || unit != int64(time.Second) {
			return 0, false
		}
		ns += int64(f)
	}
	return ns, true
}

// relative says that the time can only be told from the first record.
func (m Moment) relative() bool { return m.kind == ofDay || m.kind == afterStart }

// at is the time in ns since 1970 UTC, with the first record's time.
func (m Moment) at(first int64) int64 {
	switch m.kind {
	case afterStart:
		return addSaturated(first, m.ns)
	case ofDay:
		y, mo, d := time.Unix(0, first).In(m.zone).Date()
		clock := time.Duration(m.ns)
		h, rest := int(clock/time.Hour), clock%time.Hour
		return time.Date(y, mo, d, h, int(rest/time.Minute), 0, int(rest%time.Minute), m.zone).UnixNano()
	}
	return m.ns
}

func addSaturated(a, b int64) int64 {
	if sum := a + b; (sum > a) == (b > 0) {
		return sum
	}
	if b > 0 {
		return math.MaxInt64
	}
	return math.MinInt64
}
