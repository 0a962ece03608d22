package fix

import (
	"math"
	"strconv"
	"strings"
)

// Number writes a rate or count for people: thousands separated, three digits at most behind the point
// and none from 100 on.
func Number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) >= 1e15 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	decimals := 0
	switch a := math.Abs(x); {
	case a >= 100 || a == math.Trunc(a):
	case a >= 10:
		decimals = 1
	case a >= 1:
		decimals = 2
	default:
		decimals = 3
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	whole, frac, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if frac = strings.TrimRight(frac, "0"); frac != "" {
		whole += "." + frac
	}
	return sign + whole
}

// Percent writes a share: 45%, 4.5%, 0.45%.
func Percent(x float64) string {
	p := 100 * x
	switch a := math.Abs(p); {
	case a >= 10 || a == 0:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	case a >= 1:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return strconv.FormatFloat(p, 'g', 2, 64) + "%"
	}
}

// Seconds writes a duration.
func Seconds(s float64) string {
	if s < 1 {
		return Number(1000*s) + " ms"
	}
	return Number(s) + " s"
}

// Escape makes bytes from the input safe to print: what is not printable becomes an escape.
func Escape(s string) string {
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(float64(n)) + " " + one + "s"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
