package order

import (
	"math"
	"slices"
)

// A reading of a family's ids is accepted where parsedShare of them can be read so, the times rise with
// risingRho as the keys arrive, and half of them lie within maxAway of the time of their record; of several
// the one that lies nearest. Without record times it must be the only one, with times of this age.
const (
	parsedShare          = 0.9
	risingRho            = 0.6
	maxAway              = 366 * 24 * 3600 * 1000 // ms
	eraFrom, eraTo int64 = 946684800000, 4102444800000
)

// decoded is an accepted reading of one part.
type decoded struct {
	kind string
	// away is the median distance to the record's time in ms, NaN without times.
	away float64
}

// structure reads part i of the keys, which are in order of arrival; ok is false where it holds no time.
func structure(in []*member, i int, timed bool) (best decoded, ok bool) {
	times := map[string][]int64{} // by kind; missing ones are marked
	const missing = math.MinInt64
	var room []Reading
	var kinds []string
	for n, m := range in {
		room = readings(room[:0], m.part(i), m.parts[i].kind)
		for _, r := range room {
			if times[r.Kind] == nil {
				kinds = append(kinds, r.Kind)
				times[r.Kind] = slices.Repeat([]int64{missing}, len(in))
			}
			times[r.Kind][n] = r.MS
		}
	}
	accepted := 0
	for _, kind := range kinds {
		var ms []int64
		var away []float64
		inEra := 0
		for n, t := range times[kind] {
			if t == missing {
				continue
			}
			ms = append(ms, t)
			away = append(away, math.Abs(float64(t)-float64(in[n].at.Time)/1e6))
			if eraFrom <= t && t < eraTo {
				inEra++
			}
		}
		if float64(len(ms)) < parsedShare*float64(len(in)) || spearman(ms) < risingRho {
			continue
		}
		d := decoded{kind, math.NaN()}
		if timed {
			slices.Sort(away)
			d.away = away[len(away)/2]
			if d.away > maxAway || ok && d.away >= best.away {
				continue
			}
		} else if float64(inEra) < parsedShare*float64(len(ms)) {
			continue
		}
		best, ok = d, true
		accepted++
	}
	if !timed && accepted > 1 {
		return decoded{}, false
	}
	return best, ok
}

// form says in words what part i of the keys looks like; numbers that rise or fall are a sequence.
func form(in []*member, i int) string {
	switch k := in[0].parts[i].kind; k {
	case number:
		if rises(in, i) {
			return "sequence"
		}
		return "number"
	case uuid, hexadecimal:
		// The version of nearly all: it is two digits, which a random number has by chance in one of 64.
		versions := [16]int{}
		for _, m := range in {
			if id := m.part(i); len(id) == 36 || len(id) == 32 {
				versions[version(id)]++
			}
		}
		for v, n := range versions {
			if v > 0 && float64(n) >= parsedShare*float64(len(in)) {
				return uuidVersions[v]
			}
		}
		if k == uuid {
			return "UUID"
		}
		return "hex"
	case dashedDate:
		return Day
	case ulid:
		return ULID
	case ksuid:
		return KSUID
	case mixed:
		return "id"
	}
	return "name"
}

var uuidVersions = [16]string{
	1: UUIDv1, 2: "UUID v2", 3: "UUID v3", 4: "UUID v4", 5: "UUID v5", 6: UUIDv6, 7: UUIDv7, 8: "UUID v8",
	9: "UUID", 10: "UUID", 11: "UUID", 12: "UUID", 13: "UUID", 14: "UUID", 15: "UUID",
}
