package delimited

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"keyskew/ingest/request/requesttest"

	"pgregory.net/rapid"
)

func clockOf(t testing.TB, format string, zone *time.Location, cells ...string) clock {
	t.Helper()
	var bs [][]byte
	for _, c := range cells {
		bs = append(bs, []byte(c))
	}
	c, ok := newClock(bs, format, zone)
	if !ok {
		t.Fatalf("no clock for %q", cells)
	}
	return c
}

func TestClocks(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cell, format string
		zone         *time.Location
		words, want  string
	}{
		{"1796072448", "", nil, "Unix seconds", "2026-11-30T21:00:48Z"},
		{"1796072448.5", "", nil, "Unix seconds", "2026-11-30T21:00:48.5Z"},
		{" 1796072448123 ", "", nil, "Unix milliseconds", "2026-11-30T21:00:48.123Z"},
		{"1796072448123456", "", nil, "Unix microseconds", "2026-11-30T21:00:48.123456Z"},
		{"1796072448123456789", "", nil, "Unix nanoseconds", "2026-11-30T21:00:48.123456789Z"},
		{"128166385295514663", "", nil, "Windows file time", "2007-02-22T17:22:09.5514663Z"},
		{"0", "", nil, "relative seconds", "1970-01-01T00:00:00Z"},
		{"604038471", "", nil, "relative seconds", "1989-02-21T04:27:51Z"},
		{"5000", "ms", nil, "ms", "1970-01-01T00:00:05Z"},
		{"20261130210048", "", nil, "date in 14 digits", "2026-11-30T21:00:48Z"},
		{"2026-11-30", "", nil, "ISO 8601", "2026-11-30T00:00:00Z"},
		{"2026-11-30T21:00", "", nil, "ISO 8601", "2026-11-30T21:00:00Z"},
		{"2026/11/30 21:00:48,25", "", nil, "ISO 8601", "2026-11-30T21:00:48.25Z"},
		{"2026-11-30 21:00:48.123456789 UTC", "", nil, "ISO 8601", "2026-11-30T21:00:48.123456789Z"},
		{"2026-11-30 21:00:48 +0130", "", nil, "ISO 8601", "2026-11-30T19:30:48Z"},
		{"2026-11-30T21:00:48-08", "", berlin, "ISO 8601", "2026-12-01T05:00:48Z"},
		{"2026-11-30 21:00:48", "", berlin, "ISO 8601", "2026-11-30T20:00:48Z"},
		{"2026-07-30 21:00:48", "", berlin, "ISO 8601", "2026-07-30T19:00:48Z"},
		{"2024-02-29", "", nil, "ISO 8601", "2024-02-29T00:00:00Z"},
		{"30/Nov/2026:21:00:48 +0100", "", nil, "date as in access logs", "2026-11-30T20:00:48Z"},
		{"Mon, 30 Nov 2026 21:00:48 GMT", "", nil, "RFC 1123 date", "2026-11-30T21:00:48Z"},
		{"30.11.26 21:00", "02.01.06 15:04", berlin, "02.01.06 15:04", "2026-11-30T20:00:00Z"},
	} {
		clock := clockOf(t, c.format, c.zone, c.cell)
		for range 2 { // the second time from memory
			ns, ok := clock.read([]byte(c.cell))
			if !ok || ns != utc(c.want) {
				t.Errorf("%q: %v %v", c.cell, time.Unix(0, ns).UTC(), ok)
			}
		}
		requesttest.Same(t, c.cell, clock.words, c.words)
	}
}

func TestNoTimes(t *testing.T) {
	iso := clockOf(t, "", nil, "2026-11-30T21:00:00Z")
	for _, cell := range []string{
		"", "2026", "2026-13-01", "2026-02-29", "2026-11-31", "1600-01-01", "2026-11-30T", "2026-11-30T25:00:00Z",
		"2026-11-30T21:60", "2026-11-30 21:00:61", "2026-11-30T21:00:00+", "2026-11-30T21:00:00+1", "2026-11-30 21:00 CET",
		"2026-11/30", "2026-11-30x21:00:00", "2026-11-30T21:00:00Z junk", "2026-11-30T21:00:00+9999",
	} {
		if ns, ok := iso.read([]byte(cell)); ok {
			t.Errorf("%q: read as %d", cell, ns)
		}
	}
	seconds := clockOf(t, "s", nil)
	for _, cell := range []string{"", "-1", "1e9", "x", "1x", "1.2.3", "1 2", "9223372037", "99999999999999999999999", "."} {
		if ns, ok := seconds.read([]byte(cell)); ok {
			t.Errorf("%q: read as %d", cell, ns)
		}
	}
	if _, ok := newClock([][]byte{[]byte("noon"), []byte("night")}, "", nil); ok {
		t.Error("a clock for words")
	}
}

// The largest numbers are numbers, the next one is none.
func TestLargestNumbers(t *testing.T) {
	for cell, want := range map[string]int64{
		"9223372036854775807": math.MaxInt64, "0009223372036854775807": math.MaxInt64, "9223372036854775806.9": math.MaxInt64 - 1,
		"9223372036854775808": 0, "9223372036854775810": 0, "10000000000000000000": 0,
	} {
		if got, ok := readNumber([]byte(cell), 1); got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v", cell, got, ok)
		}
	}
}

// Numbers against big integers.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Uint64().Draw(t, "whole") >> rapid.IntRange(0, 63).Draw(t, "shift")
		part := rapid.StringMatching(`[0-9]{0,9}`).Draw(t, "part")
		unit := rapid.SampledFrom([]int64{1, 1e3, 1e6, 1e9}).Draw(t, "unit")
		want := new(big.Int).Mul(new(big.Int).SetUint64(whole), big.NewInt(unit))
		digits, _ := new(big.Int).SetString("0"+part, 10)
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(part))), nil)
		want.Add(want, digits.Div(digits.Mul(digits, big.NewInt(unit)), scale))
		got, ok := readNumber([]byte(fmt.Sprintf("%d.%s", whole, part)), unit)
		if ok != want.IsInt64() || ok && got != want.Int64() {
			t.Fatalf("got %d, %v, want %v", got, ok, want)
		}
	})
}

// ISO times against package time.
func TestISO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Unix(rapid.Int64Range(-9e9, 9e9).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		offset := rapid.IntRange(-14*60, 14*60).Draw(t, "offset")
		want = want.In(time.FixedZone("", offset*60))
		layout := rapid.SampledFrom([]string{
			time.RFC3339Nano, "2006-01-02 15:04:05.999999999-0700", "2006/01/02 15:04:05.000000000 -07:00",
		}).Draw(t, "layout")
		text := want.Format(layout)
		if got, ok := readISO([]byte(text), nil); !ok || got != want.UnixNano() {
			t.Fatalf("%s: %d, %v, want %d", text, got, ok, want.UnixNano())
		}
		local := want.UTC()
		text = local.Format("2006-01-02T15:04:05.000000000")
		zone := rapid.SampledFrom([]*time.Location{nil, time.UTC, time.FixedZone("x", 3600)}).Draw(t, "zone")
		shift := int64(0)
		if zone != nil && strings.Contains(zone.String(), "x") {
			shift = 3600e9
		}
		if got, ok := readISO([]byte(text), zone); !ok || got != local.UnixNano()-shift {
			t.Fatalf("%s in %v: %d, %v", text, zone, got, ok)
		}
	})
}
