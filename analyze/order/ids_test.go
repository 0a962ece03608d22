package order

import (
	"testing"
	"time"
)

// Times of the sample ids of RFC 9562, the ULID, KSUID and ObjectID specifications and Discord's reference.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		id, kind string
		ms       int64
	}{
		{"01ARZ3NDEKTSV4RRFFQ69G5FAV", ULID, 1469922850259},
		{"01arz3ndektsv4rrffq69g5fav", ULID, 1469922850259},
		{"0ujtsYcgvSTl8PAuAdqWYSMnLOv", KSUID, 1507608047000},
		{"C232AB00-9414-11EC-B3C8-9F6BDECED846", UUIDv1, 1645557742000},
		{"1EC9414C-232A-6B00-B3C8-9F6BDECED846", UUIDv6, 1645557742000},
		{"017F22E2-79B0-7CC3-98C4-DC0C0C07398F", UUIDv7, 1645557742000},
		{"017f22e279b07cc398c4dc0c0c07398f", UUIDv7, 1645557742000},
		{"507f1f77bcf86cd799439011", ObjectID, 1350508407000},
		{"175928847299117063", Discord, 1462015105796},
		{"1764534931", Seconds, 1764534931000},
		{"1764534931123", Millis, 1764534931123},
		{"1764534931123456", Micros, 1764534931123},
		{"1764534931123456789", Nanos, 1764534931123},
		{"1764534931123456789", Twitter, at("2024-03-04T06:14:45.710Z")},
		{"20251130", Day, at("2025-11-30T00:00:00Z")},
		{"2025-11-30", Day, at("2025-11-30T00:00:00Z")},
		{"2025113020", Hour, at("2025-11-30T20:00:00Z")},
		{"202511302035", Minute, at("2025-11-30T20:35:00Z")},
		{"20251130203531", DayAndSec, at("2025-11-30T20:35:31Z")},
	} {
		found := false
		for _, r := range Readings([]byte(c.id)) {
			if r.Kind == c.kind {
				found = true
				if r.MS != c.ms {
					t.Errorf("%s as %s: %d, want %d", c.id, c.kind, r.MS, c.ms)
				}
			}
		}
		if !found {
			t.Errorf("%s: no %s among %v", c.id, c.kind, Readings([]byte(c.id)))
		}
	}
	for _, id := range []string{
		"", "919108f7-52d1-4320-9bac-f847db4148a8", "919108f7-52d1-7320-1bac-f847db4148a8", "zzzzzzzzzzzzzzzzzzzzzzzzzz9",
		"20251340", "1234567", "12345678901234567890", "81ARZ3NDEKTSV4RRFFQ69G5FAV", "a:1764534931", "zzzzzzzzzzzzzzzZZ9zzzzzzzzz",
	} {
		if r := Readings([]byte(id)); len(r) > 0 {
			t.Errorf("%q holds no time, read as %v", id, r)
		}
	}
}

func at(s string) int64 {
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return v.UnixMilli()
}

func TestSplit(t *testing.T) {
	for key, want := range map[string]string{
		"user:42:cart": "user:{int}:cart", "u0882:1764500000": "u{int}:{int}", "": "", "::": "::",
		"order:1764534931123-17": "order:{int}-{int}", "/img/4711.png": "/img/{int}.png",
		"a/550e8400-e29b-41d4-a716-446655440000/b": "a/{uuid}/b", "550e8400-e29b-41d4-a716-446655440000x": "{hex}-e29b-41d{int}-a{int}-446655440000x",
		"log/2026-03-01/x": "log/{date}/x", "2026-03-01T12": "{date}T{int}", "2026-03-011": "{int}-{int}-{int}",
		"s:9f86d081884c7d65": "s:{hex}", "0x3005b28": "{hex}", "0xyz": "0xyz", "d/01ARZ3NDEKTSV4RRFFQ69G5FAV": "d/{ulid}", "0ujtsYcgvSTl8PAuAdqWYSMnLOv": "{ksuid}",
		"dGhpcyBpcyBh0IHRva2Vu1": "{id}", "deadbeef": "deadbeef", "日本:7": "日本:{int}", "\xff\x00/1": "\xff\x00/{int}", "{int}": "{int}",
	} {
		if got := string(appendShape(nil, []byte(key), split(nil, []byte(key)), false)); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
	if got := string(appendShape(nil, []byte("alice:42/x9"), split(nil, []byte("alice:42/x9")), true)); got != "{name}:{int}/{name}{int}" {
		t.Errorf("without words: %q", got)
	}
}

func TestCompareNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"9", "10", -1}, {"007", "7", 0}, {"0", "", 0}, {"123456789012345678901234567890", "99", 1}, {"12", "13", -1}} {
		if got := compareNumbers([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %d", c.a, c.b, got)
		}
	}
}
