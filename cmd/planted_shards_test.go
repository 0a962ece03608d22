package cmd

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"keyskew/analyze/partition"
)

// The keys of one hash tag make one shard the busiest, and all that is said of shards is what a recount
// of the capture gives.
func TestPlantedHashTag(t *testing.T) {
	const shards = 8
	c := loads()["hash tag"]
	path, truth := planted(t, c)
	requests, keys := recount(t, path, shards)
	r := analyzed(t, nil, "--shards", fmt.Sprint(shards), path)
	sameTotals(t, r, truth)
	p := r.Partitions
	if p == nil || len(p.List) != shards {
		t.Fatalf("no %d shards: %+v", shards, p)
	}
	busiest, total := 0, 0
	for i, n := range requests {
		total += n
		if n > requests[busiest] {
			busiest = i
		}
		part := p.List[i]
		same(t, "id", part.ID, fmt.Sprint(i))
		if !part.Captured || part.Requests == nil || *part.Requests != uint64(n) {
			t.Errorf("shard %d: %+v, want %d requests", i, part.Requests, n)
		}
		if part.Keys == nil || part.Keys.Lower > float64(len(keys[i])) || part.Keys.Upper < float64(len(keys[i])) {
			t.Errorf("shard %d: %+v keys, not %d", i, part.Keys, len(keys[i]))
		}
	}
	same(t, "all requests", int64(total), truth.Requests)
	want := partition.Slot([]byte("{"+c.HashTag.Tag+"}:0")) * shards / partition.Slots
	same(t, "the busiest shard", busiest, want)
	if pmr := float64(requests[busiest]) * shards / float64(total); p.PMR == nil || math.Abs(*p.PMR-pmr) > 1e-9 {
		t.Errorf("PMR %v, want %v", p.PMR, pmr)
	}
	if f := findings(r, "KS201"); len(f) != 1 || f[0] != fmt.Sprint(want) {
		t.Errorf("KS201 is about %q, not shard %d", f, want)
	}
	for _, k := range r.Keys {
		if k.Partition == nil || *k.Partition != fmt.Sprint(partition.Slot(k.Key.Raw())*shards/partition.Slots) {
			t.Errorf("%s is put on %v", k.Key, k.Partition)
		}
	}
	validate(t, r)
}

// The series over time, of everything, of each shard and of the viral key, are what a recount gives, and
// so are the peaks. The first and last window are covered in part, which makes their rates a matter of
// rule; the others are counts.
func TestPlantedWindows(t *testing.T) {
	const shards = 4
	for _, width := range []time.Duration{time.Second, 500 * time.Millisecond} {
		c := viralLoad()
		c.Pollers, c.MultiKey = 20, 0.1
		path, _ := planted(t, c)
		r := analyzed(t, nil, "--window", width.String(), "--shards", fmt.Sprint(shards), path)
		w := r.Windows
		if w == nil || w.WindowsPerPoint != 1 || w.WidthSeconds != width.Seconds() || len(w.Start) != len(w.Total) {
			t.Fatalf("windows: %+v", w)
		}
		first := instant(t, &w.Start[0])
		total, viral := make([]float64, len(w.Total)), make([]float64, len(w.Total))
		parts := make([][]float64, shards)
		for i := range parts {
			parts[i] = make([]float64, len(w.Total))
		}
		touches(t, path, func(micros int64, key string) {
			at := time.UnixMicro(micros).Sub(first) / width
			rate := 1 / width.Seconds()
			total[at] += rate
			parts[partition.Slot([]byte(key))*shards/partition.Slots][at] += rate
			if key == c.Viral.Key {
				viral[at] += rate
			}
		})
		for i := 1; i < len(total)-1; i++ {
			same(t, "start of "+w.Start[i], instant(t, &w.Start[i]), first.Add(time.Duration(i)*width))
			same(t, "total at "+w.Start[i], w.Total[i], total[i])
			same(t, "viral key at "+w.Start[i], w.Keys[c.Viral.Key][i], viral[i])
			for p := range parts {
				same(t, fmt.Sprintf("shard %d at %s", p, w.Start[i]), w.Partitions[fmt.Sprint(p)][i], parts[p][i])
			}
		}
		inner := len(total) - 1
		same(t, "peak of the viral key", r.Keys[0].PeakRate.Value, slices.Max(viral[1:inner]))
		same(t, "its time", instant(t, r.Keys[0].PeakAt), instant(t, &w.Start[slices.Index(viral, slices.Max(viral[1:inner]))]))
		for p := range parts {
			if got, want := *r.Partitions.List[p].PeakRate, slices.Max(parts[p][1:inner]); got != want && got != max(w.Partitions[fmt.Sprint(p)][0], w.Partitions[fmt.Sprint(p)][inner]) {
				t.Errorf("peak of shard %d: %v, want %v", p, got, want)
			}
		}
		if got, want := *r.Totals.PeakRate, slices.Max(total[1:inner]); got != want && got != max(w.Total[0], w.Total[inner]) {
			t.Errorf("peak rate %v, want %v", got, want)
		}
	}
}

// Every load's shards are what a recount gives.
func TestPlantedShards(t *testing.T) {
	names := []string{"zipf", "no skew", "viral", "time-ordered", "everything"}
	if testing.Short() {
		names = names[len(names)-1:]
	}
	for _, name := range names {
		path, _ := planted(t, loads()[name])
		fine, _ := recount(t, path, 16)
		for _, shards := range []int{1, 2, 16} { // powers of two: each has the same number of slots
			r := analyzed(t, nil, "--shards", fmt.Sprint(shards), path)
			for i := range shards {
				want := uint64(0)
				for _, n := range fine[i*16/shards : (i+1)*16/shards] {
					want += uint64(n)
				}
				if got := r.Partitions.List[i].Requests; got == nil || *got != want {
					t.Errorf("%s, %d shards: shard %d has not %d requests", name, shards, i, want)
				}
			}
			if name == "no skew" && len(findings(r, "KS201")) > 0 {
				t.Errorf("%d even shards are called uneven", shards)
			}
		}
	}
}

// recount counts a planted capture's touches and keys per shard, by slot ranges of equal size.
func recount(t *testing.T, path string, shards int) (requests []int, keys []map[string]bool) {
	t.Helper()
	requests = make([]int, shards)
	keys = make([]map[string]bool, shards)
	for i := range keys {
		keys[i] = map[string]bool{}
	}
	touches(t, path, func(_ int64, key string) {
		at := partition.Slot([]byte(key)) * shards / partition.Slots
		requests[at]++
		keys[at][key] = true
	})
	return requests, keys
}

// touches reads a planted capture in the plainest way, and visits every touch of a key but the polls,
// with its time in microseconds.
func touches(t *testing.T, path string, visit func(micros int64, key string)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unescape := strings.NewReplacer(`\x00`, "\x00", `\n`, "\n", `\"`, `"`, `\xc3\xa9`, "é")
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		stamp, rest, _ := strings.Cut(lines.Text(), " ")
		_, command, ok := strings.Cut(rest, "] ")
		if !ok {
			continue
		}
		micros, err := strconv.ParseInt(strings.Replace(stamp, ".", "", 1), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.Trim(command, `"`), `" "`)
		names := args[1:2]
		switch args[0] {
		case "MGET":
			names = args[1:]
		case "BLPOP":
			continue
		}
		for _, name := range names {
			visit(micros, unescape.Replace(name))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
