package timestamp

import (
	"testing"
	"time"
)

func TestMonth(t *testing.T) {
	for m := time.January; m <= time.December; m++ {
		if got := Month([]byte(m.String()[:3])); got != int(m) {
			t.Errorf("%v: got %d", m, got)
		}
	}
	for _, text := range []string{"", "Ja", "anF", "jan", "Janu", "Xyz"} {
		if got := Month([]byte(text)); got != 0 {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

func TestOffset(t *testing.T) {
	for text, want := range map[string]int{
		"Z": 0, "z": 0, "UTC": 0, "GMT": 0, "+00:00": 0, "+01:30": 5400, "+0130": 5400, "-0330": -12600, "-03": -10800,
	} {
		if got, ok := Offset([]byte(text)); got != want || !ok {
			t.Errorf("%q: got %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "+", "+1", "+01:", "+01:3", "+013", "+01:300", "0130", "+xx", "+01xx", "+2500", "CET", "Z0"} {
		if got, ok := Offset([]byte(text)); ok {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

func TestFraction(t *testing.T) {
	for _, c := range []struct {
		text   string
		ns     int64
		digits int
	}{{"", 0, 0}, {"5", 5e8, 1}, {"123456789", 123456789, 9}, {"1234567891", 123456789, 10}, {"25Z", 25e7, 2}, {"x", 0, 0}} {
		if ns, digits := Fraction([]byte(c.text)); ns != c.ns || digits != c.digits {
			t.Errorf("%q: got %d, %d", c.text, ns, digits)
		}
	}
}

func TestTwo(t *testing.T) {
	for text, want := range map[string]int{"07": 7, "590": 59, "7": -1, "": -1, "a1": -1, "1a": -1} {
		got, ok := Two([]byte(text))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: got %d", text, got)
		}
	}
}
