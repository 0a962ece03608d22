package order

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"keyskew/golden"
	"keyskew/sketch"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %.6g within %.2g", what, got, want, tolerance)
	}
}

// samples are keys written one after the other.
func samples(keys []string, step int64) []sketch.Sample {
	out := make([]sketch.Sample, len(keys))
	for i, k := range keys {
		at := sketch.Sighting{Time: noon + int64(i)*step, Offset: int64(i)}
		out[i] = sketch.Sample{Key: []byte(k), Hash: rand.New(rand.NewPCG(1, uint64(i))).Uint64(), First: at, Written: true, FirstWrite: at}
	}
	return out
}

const noon = 1764504000e9 // 2025-11-30 12:00 UTC

// vector is what a program in Python measured of 200 keys in order of arrival.
type vector struct {
	File, Desc string
	Lex, Num   *struct {
		Rho, Rho2 float64
		MaxShare  float64 `json:"max_share"`
		Range     int
		Cnt       [ranges]int
		Records   int
		Verdict   string
	}
}

func vectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile(golden.Corpus(t, "..", "vectors", "order.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 15 {
		t.Fatalf("%d vectors", len(list))
	}
	return list
}

func vectorKeys(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(golden.Corpus(t, "..", file))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for line := range bytes.Lines(text) {
		keys = append(keys, string(bytes.TrimSpace(line)))
	}
	return keys
}

func TestMeasureVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Desc, func(t *testing.T) {
			in := newMembers(samples(vectorKeys(t, v.File), 1e6))
			for _, c := range []struct {
				name  string
				order func(a, b *member) int
			}{{"bytes", byBytes}, {"numbers", compareByNumbers}} {
				want := v.Lex
				if c.name == "numbers" {
					if want = v.Num; want == nil {
						continue
					}
				}
				place := places(in, c.order)
				for i := range in { // some of the vectors hold a key twice
					for j := range in[:i] {
						if bytes.Equal(in[i].key, in[j].key) {
							place[i] = place[j]
						}
					}
				}
				m := Measure(place)
				near(t, c.name+": rho", m.RhoAll, want.Rho, 1e-4)
				near(t, c.name+": rho of the second half", m.Rho, want.Rho2, 1e-4)
				near(t, c.name+": largest share", m.MaxShare, want.MaxShare, 1e-9)
				if m.Range != want.Range || m.Counts != want.Cnt || m.Records != want.Records {
					t.Errorf("%s: %+v, want %+v", c.name, m, *want)
				}
				if m.Ordered() != (want.Verdict == "time-ordered") || m.Partly() != (want.Verdict != "not") {
					t.Errorf("%s: %+v, want %s", c.name, m, want.Verdict)
				}
			}
		})
	}
}

func TestMeasureOfLittle(t *testing.T) {
	for n := range 5 {
		m := Measure(rand.Perm(n))
		if math.IsNaN(m.Rho) || math.IsNaN(m.MaxShare) || n < 2 && m.Ordered() {
			t.Errorf("%d keys: %+v", n, m)
		}
	}
}

// Two sequences that take turns fall into two ranges.
func TestEffectiveRanges(t *testing.T) {
	place := make([]int, 400)
	for i := range place {
		place[i] = i/2 + i%2*200
	}
	m := Measure(place)
	near(t, "effective ranges", m.Effective, 2, 1e-9)
	near(t, "largest share", m.MaxShare, 0.5, 1e-9)
}

// A random order is never taken for one, and hardly ever for part of one; 50,000 orders of each size with
// another generator gave 0, and 155, 36, 2 and 0 of part.
func TestNoOrderInRandom(t *testing.T) {
	const orders = 5000
	for _, n := range []int{50, 60, 100, 200} {
		partly := 0
		for seed := range uint64(orders) {
			m := Measure(rand.New(rand.NewPCG(seed, uint64(n))).Perm(n))
			if m.Ordered() {
				t.Errorf("n = %d, seed %d: %+v", n, seed, m)
			}
			if m.Partly() {
				partly++
			}
		}
		if most := map[int]int{50: 30, 60: 12, 100: 3, 200: 0}[n]; partly > most {
			t.Errorf("n = %d: partly in %d of %d random orders", n, partly, orders)
		}
	}
}

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		values []int
		want   float64
	}{
		{[]int{1, 2, 3, 4}, 1}, {[]int{9, 5, 3, -2}, -1}, {[]int{1, 3, 2, 4}, 0.8}, {[]int{5, 5, 5}, 0}, {nil, 0}, {[]int{7}, 0},
		{[]int{1, 1, 2, 2}, 2 / math.Sqrt(5)}, // equal values share their mean rank: scipy says 0.894427
	} {
		near(t, fmt.Sprint(c.values), spearman(c.values), c.want, 1e-9)
	}
}

// A counter that starts again, in an order by which its numbers lie anywhere, is in one place at a time.
func TestMoves(t *testing.T) {
	cyclic := make([]int, 1000)
	for i := range cyclic { // four turns through the whole range
		cyclic[i] = i*4%1000 + i*4/1000
	}
	if Measure(cyclic).Partly() || !moves(cyclic) {
		t.Errorf("four turns: %+v, moves %v", Measure(cyclic), moves(cyclic))
	}
	for seed := range uint64(200) {
		if moves(rand.New(rand.NewPCG(seed, 0)).Perm(100)) {
			t.Errorf("seed %d: a random order moves", seed)
		}
	}
}
