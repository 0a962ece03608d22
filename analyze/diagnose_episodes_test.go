package analyze

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"keyskew/analyze/episode"
	"keyskew/ingest/request"
)

// traffic is so many requests a second to 1,000 cold keys, all alike, with what hot returns for each second
// to the key "hot" on top.
func traffic(seconds int, cold int, hot func(second int) int) []row {
	var rows []row
	offset := int64(0)
	add := func(key string, second, i, n int) {
		at := start + int64(second)*int64(time.Second) + int64(i)*int64(time.Second)/int64(n)
		rows = append(rows, row{key: key, at: at, offset: offset, op: request.Read, command: 1})
		offset += 40
	}
	for s := range seconds {
		for i := range cold {
			add(fmt.Sprint("cold:", (s*cold+i)*7919%1000), s, i, cold)
		}
		for i, n := 0, hot(s); i < n; i++ {
			add("hot", s, i, n)
		}
	}
	return rows
}

func secondOf(n int64) int64 { return start + n*int64(time.Second) }

func TestDiagnoseEpisodes(t *testing.T) {
	// With 5,000 others a second 1% is 50 requests: certainly above from 63 on. The key rises from 20 s on, is
	// hot from 21 s, peaks at 25 s, is last at the lower threshold at 40 s and comes again at 55 s.
	at := func(s int) int {
		switch {
		case s == 20, s == 40:
			return 40
		case s == 25:
			return 900
		case s == 57:
			return 600
		case s > 20 && s < 40, s >= 55:
			return 500
		}
		return 5
	}
	d := Diagnose(collect(t, config(), traffic(60, 5000, at), true, 9000), Options{Top: 3})
	k := d.Keys[0]
	want := []episode.Episode{
		{Start: secondOf(21), RampStart: secondOf(20), PeakAt: secondOf(25), End: secondOf(41), Within: 1e9, PeakRate: 900, Ended: true},
		{Start: secondOf(55), RampStart: secondOf(55), PeakAt: secondOf(57), End: secondOf(60), Within: 1e9, PeakRate: 600, ToEnd: true},
	}
	got := k.Episodes
	if len(got) == 2 { // the input ends within its last second
		got[1].End = (got[1].End + 1e9 - 1) / 1e9 * 1e9
	}
	if string(k.Key) != "hot" || !reflect.DeepEqual(got, want) || k.EpisodeCount != 2 || k.Undecided != 0 {
		t.Errorf("%q %d %d\ngot  %+v\nwant %+v", k.Key, k.EpisodeCount, k.Undecided, got, want)
	}
	if k.HotSeconds < 24.99 || k.HotSeconds > 25 {
		t.Errorf("hot for %v s, want 25", k.HotSeconds)
	}
	for _, k := range d.Keys[1:] {
		if k.Episodes != nil {
			t.Errorf("%q is not hot: %+v", k.Key, k.Episodes)
		}
	}
}

// Of a long input the windows are coarse; one second in which a key was hot is an episode all the same.
func TestDiagnoseBurst(t *testing.T) {
	const burst = 7321
	d := Diagnose(collect(t, config(), traffic(9000, 40, func(s int) int {
		if s == burst {
			return 4000
		}
		return 0
	}), true, 100_000), Options{Top: 3, Capacity: Capacity{Value: 10_000, Kind: Given}})
	k := d.Keys[0]
	want := []episode.Episode{{
		Start: secondOf(burst), RampStart: secondOf(burst), PeakAt: secondOf(burst), End: secondOf(burst + 1), Within: 1e9, PeakRate: 4000,
	}}
	if d.Windows.Seconds != 10 || string(k.Key) != "hot" || !reflect.DeepEqual(k.Episodes, want) || k.HotSeconds != 1 {
		t.Errorf("windows of %v s, %q: %+v", d.Windows.Seconds, k.Key, k.Episodes)
	}
}

// A key that is hot for minutes of a long input: its peak is known to the second.
func TestDiagnoseCoarseEpisode(t *testing.T) {
	d := Diagnose(collect(t, config(), traffic(9000, 40, func(s int) int {
		switch {
		case s == 5005:
			return 300
		case s >= 5000 && s < 5040:
			return 100
		}
		return 0
	}), true, 100_000), Options{Top: 3, Capacity: Capacity{Value: 200, Kind: Given}})
	k := d.Keys[0]
	if len(k.Episodes) != 1 {
		t.Fatalf("%q: %+v", k.Key, k.Episodes)
	}
	e := k.Episodes[0]
	if e.Within != 10e9 || e.PeakAt != secondOf(5005) || e.PeakRate != 300 || e.Start > secondOf(5000) || e.Start <= secondOf(4990) || e.End < secondOf(5040) || e.End >= secondOf(5050) || !e.Ended {
		t.Errorf("%+v", e)
	}
}

// A sample of 1 request in 20: the episode is found to the second or two, and its rate is that of the traffic.
func TestDiagnoseSampledEpisode(t *testing.T) {
	const every = 20
	rng := rand.New(rand.NewPCG(9, 9))
	var rows []row
	for _, r := range traffic(60, 10_000, func(s int) int {
		if s >= 20 && s < 40 {
			return 4000
		}
		return 100
	}) {
		if rng.IntN(every) == 0 {
			rows = append(rows, r)
		}
	}
	d := Diagnose(collect(t, config(), rows, true), Options{Top: 3, SampleEvery: every, Capacity: Capacity{Value: 10_000, Kind: Given}})
	k := d.Keys[0]
	if len(k.Episodes) != 1 {
		t.Fatalf("%q: %+v", k.Key, k.Episodes)
	}
	e := k.Episodes[0]
	// Windows begin at whole seconds, and so does the traffic, to a millisecond of the first sample.
	if e.Start != secondOf(20) || e.End != secondOf(40) || !e.Ended || e.PeakRate < 4000 || e.PeakRate > 5000 {
		t.Errorf("%+v", e)
	}
}

// Of little traffic no second tells, but a few minutes together do: a key that is hot in them is found.
func TestDiagnoseSparse(t *testing.T) {
	d := Diagnose(collect(t, config(), traffic(3600, 5, func(s int) int {
		if s >= 1200 && s < 1350 {
			return 1
		}
		return 0
	}), true, 9000), Options{Top: 3})
	k := d.Keys[0]
	// 30 requests at 1% are 3,000: a stretch of up to 10 minutes.
	if string(k.Key) != "hot" || !k.Hot || k.HotIn != "peak" || len(k.Episodes) != 1 || k.HotWindows < 500 || k.HotWindows > 600 || k.Windows < 3000 {
		t.Fatalf("%q %v in %d of %d windows: %+v", k.Key, k.HotIn, k.HotWindows, k.Windows, k.Episodes)
	}
	e := k.Episodes[0]
	if e.Start > secondOf(1200) || e.Start+e.Within < secondOf(1200) || e.End < secondOf(1350) || e.Within < 500e9 || e.Within > 600e9 {
		t.Errorf("%+v", e)
	}
}

// A coarse window in which a key is hot, and its busiest seconds too, counts once.
func TestHotWindowsOnce(t *testing.T) {
	d := Diagnose(collect(t, config(), traffic(5000, 10, func(s int) int {
		if s >= 1000 && s < 1040 {
			return 300
		}
		return 0
	}), true, 100_000), Options{Top: 3, Capacity: Capacity{Value: 500, Kind: Given}})
	if k := d.Keys[0]; d.Windows.Seconds != 10 || k.HotWindows < 4 || k.HotWindows > 5 {
		t.Errorf("hot in %d windows of %v s, want 40 s", k.HotWindows, d.Windows.Seconds)
	}
}

// fullWindows is a summary of the most windows, each with the most listed keys, of which `hot` are hot in
// ten of forty windows, which are spikes of the total load.
func fullWindows(tb testing.TB, hot int) *Summary {
	tb.Helper()
	s, err := NewSummary(config())
	if err != nil {
		tb.Fatal(err)
	}
	numbers := make([]uint32, windowSpec.listed)
	for i := range numbers {
		key := []byte("key:" + strconv.Itoa(i))
		numbers[i] = s.windows.names.number(key)
	}
	for w := range windowSpec.most {
		at := start/int64(time.Second) + int64(w)
		c := &cell{first: secondOf(int64(w)), last: secondOf(int64(w)) + 1, cut: 3}
		for i, number := range numbers {
			n := uint64(100)
			if i < hot && w/10%4 == 3 {
				n = 1000
			}
			c.list = append(c.list, item{key: number, Requests: n, Reads: n, Work: n * workUnits})
			c.total.Requests += n
		}
		s.windows.cells[at] = c
		s.total.add(&c.total)
	}
	s.cover(start, secondOf(int64(windowSpec.most)))
	return s
}

func BenchmarkEpisodes(b *testing.B) {
	for _, every := range []int{1, 10} {
		b.Run("every="+strconv.Itoa(every), func(b *testing.B) {
			s := fullWindows(b, 50)
			d := &diagnoser{s: s, o: Options{SampleEvery: every}, out: &Diagnosis{Threshold: Threshold{Share: hotShare}}, served: s.total.served()}
			for b.Loop() {
				d.out.Keys = nil
				for i := range 50 {
					d.out.Keys = append(d.out.Keys, Key{Key: []byte("key:" + strconv.Itoa(i))})
				}
				d.out.HotKeys = 50
				d.hotWindows()
				d.episodes()
				d.spikes()
			}
			if len(d.out.Spikes) != mostSpikes || len(d.out.Keys[0].Episodes) != mostEpisodes {
				b.Fatalf("%d spikes, %d episodes", len(d.out.Spikes), len(d.out.Keys[0].Episodes))
			}
		})
	}
}
