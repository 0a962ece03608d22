package ingest

import (
	"math"
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC) // 01:30 in Paris, the night the clock goes forward
	for _, c := range []struct{ text, want string }{
		{"2026-11-30T23:31:52Z", "2026-11-30T23:31:52Z"},
		{"2026-11-30T23:31:52.5+02:00", "2026-11-30T21:31:52.5Z"},
		{"2026-11-30T23:31", "2026-11-30T22:31:00Z"},
		{"2026-07-01 23:31", "2026-07-01T21:31:00Z"},
		{"2026-07-01 23:31:07.25", "2026-07-01T21:31:07.25Z"},
		{"2026-07-01", "2026-06-30T22:00:00Z"},
		{"[30/Nov/2026:23:31:52 +0200]", "2026-11-30T21:31:52Z"},
		{"30/Nov/2026:23:31:52", "2026-11-30T22:31:52Z"},
		{"30/Nov/2026:23:31", "2026-11-30T22:31:00Z"},
		{"1796081512", "2026-11-30T23:31:52Z"},
		{"1796081512.691333", "2026-11-30T23:31:52.691333Z"},
		{"1796081512691", "2026-11-30T23:31:52.691Z"},
		{"1796081512691333", "2026-11-30T23:31:52.691333Z"},
		{"1796081512691333123", "2026-11-30T23:31:52.691333123Z"},
		{"01:45", "2026-03-29T00:45:00Z"},
		{"03:00:01.5", "2026-03-29T01:00:01.5Z"},
		{"+10m", "2026-03-29T00:40:00Z"},
		{"+1h0m0.5s", "2026-03-29T01:30:00.5Z"},
	} {
		m, err := ParseMoment(c.text, paris)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := time.Unix(0, m.at(first.UnixNano())).UTC().Format(time.RFC3339Nano); got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
	for _, bad := range []string{"", "-10m", "+", "+x", "25:00", "yesterday", "2026-13-01", "1.5e9", "12345.1234567890",
		"1796081512691.5", "99999999999999999999", "0001-01-01", "9999-01-01 00:00"} {
		if m, err := ParseMoment(bad, nil); err == nil {
			t.Errorf("%q is %+v", bad, m)
		}
	}
	late, err := ParseMoment("+2000000h", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := late.at(math.MaxInt64 - 1); got != math.MaxInt64 {
		t.Errorf("%d wraps", got)
	}
}
