package formats

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// group writes a whole number with thousands separators.
func group[T uint64 | int64 | int](n T) string {
	return separate(strconv.FormatUint(uint64(max(n, 0)), 10))
}

// whole rounds a number to a whole one, with thousands separators; for tables.
func whole(f float64) string {
	if f > 0 && f < 0.5 {
		return "<1"
	}
	return separate(strconv.FormatFloat(math.Round(f), 'f', 0, 64))
}

func separate(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// about writes a number with three significant figures; for prose.
func about(f float64) string {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(f))))
	if digits > 0 {
		s := strconv.FormatFloat(f, 'f', min(digits, 6), 64)
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	unit := math.Pow(10, float64(-digits))
	return separate(strconv.FormatFloat(math.Round(f/unit)*unit, 'f', 0, 64))
}

// percent writes a share to 0.1%, without calling a part all or something nothing.
func percent(x float64) string {
	switch {
	case x > 0 && x < 0.0005:
		return "<0.1%"
	case x < 1 && x >= 0.9995:
		return ">99.9%"
	case x >= 1:
		return separate(strconv.FormatFloat(math.Round(100*x), 'f', 0, 64)) + "%"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

// share is percent for prose: 33%, not 33.0%.
func share(x float64) string { return strings.Replace(percent(x), ".0%", "%", 1) }

// utilisation writes load over capacity in whole per cent; close below the capacity to 0.1.
func utilisation(x float64) string {
	switch {
	case x > 0 && x < 0.005:
		return "<1%"
	case x < 1 && x >= 0.95:
		return share(x)
	}
	return separate(strconv.FormatFloat(math.Round(100*x), 'f', 0, 64)) + "%"
}

// times writes a factor: 1.02×, 86×.
func times(x float64) string { return about(x) + "×" }

// size writes a number of bytes in decimal units.
func size(n int64) string {
	f := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if f < 1000 {
			if unit == "bytes" {
				return plural(uint64(max(n, 0)), "byte")
			}
			return about(f) + " " + unit
		}
		f /= 1000
	}
	return about(f) + " PB"
}

// plural writes a count and its noun.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(n) + " " + noun + "s"
}

// span writes a length of time.
func span(seconds float64) string {
	switch {
	case seconds < 60:
		return about(seconds) + " s"
	case seconds < 3600:
		s := int64(math.Round(seconds))
		return parts(s/60, "min", s%60, "s")
	case seconds < 48*3600:
		m := int64(math.Round(seconds / 60))
		return parts(m/60, "h", m%60, "min")
	}
	return about(seconds/86400) + " days"
}

func parts(a int64, unitA string, b int64, unitB string) string {
	s := group(a) + " " + unitA
	if b > 0 {
		s += " " + group(b) + " " + unitB
	}
	return s
}

// stamp is a time of the report: RFC 3339, UTC.
func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// clock is the time of day of a stamp, in whole seconds, with its day where the report covers several; a
// text that is no stamp stays as it is.
func (r *Report) clock(at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	switch {
	case err != nil:
		return clean(at)
	case r.days():
		return t.UTC().Format("Jan 02 15:04:05")
	}
	return t.UTC().Format(time.TimeOnly)
}

// days reports whether the inputs cover more than one day.
func (r *Report) days() bool {
	day := ""
	for i := range r.Inputs {
		for _, at := range []*string{r.Inputs[i].FirstTime, r.Inputs[i].LastTime} {
			if at == nil || len(*at) < len(time.DateOnly) {
				continue
			}
			if this := (*at)[:len(time.DateOnly)]; day == "" {
				day = this
			} else if this != day {
				return true
			}
		}
	}
	return false
}

// stretch writes from when to when, with the date once when it is the same.
func stretch(from, to string) string {
	a, errA := time.Parse(time.RFC3339Nano, from)
	b, errB := time.Parse(time.RFC3339Nano, to)
	if errA != nil || errB != nil {
		return clean(from + "–" + to)
	}
	a, b = a.UTC(), b.UTC()
	if a.Truncate(time.Second).Equal(b.Truncate(time.Second)) {
		return a.Format(time.DateTime) + " UTC"
	}
	if a.Format(time.DateOnly) == b.Format(time.DateOnly) {
		return a.Format(time.DateTime) + "–" + b.Format(time.TimeOnly) + " UTC"
	}
	return a.Format(time.DateTime) + " – " + b.Format(time.DateTime) + " UTC"
}
