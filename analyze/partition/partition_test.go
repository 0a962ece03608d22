package partition

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keyskew/golden"
)

func TestSlot(t *testing.T) {
	for key, want := range map[string]int{
		// The specification's check value, and keys asked of a server with CLUSTER KEYSLOT (7.0.15).
		"123456789": 12739, "foo": 12182, "": 0, "user:1001": 5712, "{user1000}.following": 3443,
		"user1000": 3443, "{a": 10276, "foo{}{bar}": 8363, "foo{{bar}}zap": 4015, "{bar": 4015,
		"foo{bar}{zap}": 5061, "bar": 5061, "{}": 15257, "a}{b}": 3300, "b": 3300, "café": 5735,
		"post:42:likes#0": 10711,
	} {
		if got := Slot([]byte(key)); got != want {
			t.Errorf("Slot(%q) = %d, want %d", key, got, want)
		}
	}
}

func TestHashTag(t *testing.T) {
	for key, want := range map[string]string{
		"{a}b": "a", "x{a}b{c}": "a", "{}{a}": "", "{a": "", "a}": "", "{{a}": "{a", "": "",
	} {
		part, tagged := HashTag([]byte(key))
		if tagged != (want != "") || tagged && string(part) != want || !tagged && string(part) != key {
			t.Errorf("HashTag(%q) = %q, %v; want %q", key, part, tagged, want)
		}
	}
}

// One key for each slot, from the server's own table, and the vectors of several client libraries.
func TestSlotCorpus(t *testing.T) {
	rows := 0
	lines(t, golden.Corpus(t, "vectors", "redis_slot_table_16384.tsv"), func(f []string) {
		slot, err := strconv.Atoi(f[0])
		key := f[1]
		if err != nil {
			if slot, err = strconv.Atoi(f[1]); err != nil {
				return // the header
			}
			key = f[0]
		}
		rows++
		if got := Slot([]byte(key)); got != slot {
			t.Errorf("Slot(%q) = %d, want %d", key, got, slot)
		}
	})
	if rows != Slots {
		t.Errorf("%d rows, want %d", rows, Slots)
	}
	lines(t, golden.Corpus(t, "vectors", "redis_keyslot_hashtags.tsv"), func(f []string) {
		key, err := hex.DecodeString(f[0])
		if err != nil {
			return // the header
		}
		if want, _ := strconv.Atoi(f[2]); Slot(key) != want {
			t.Errorf("Slot(%q) = %d, want %d", key, Slot(key), want)
		}
	})
}

// The division is that of redis-cli --cluster create.
func TestEven(t *testing.T) {
	for n, want := range map[int]string{
		1: "0-16383", 2: "0-8191 8192-16383", 3: "0-5460 5461-10922 10923-16383",
		6: "0-2730 2731-5460 5461-8191 8192-10922 10923-13652 13653-16383",
	} {
		l, err := redisCluster.Even(n)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range l.Partitions {
			got = append(got, p.Slots[0].String())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%d shards: %s, want %s", n, s, want)
		}
	}
	for _, n := range []int{0, -1, MaxPartitions + 1} {
		if _, err := redisCluster.Even(n); err == nil {
			t.Errorf("%d shards were accepted", n)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, MaxPartitions).Draw(t, "n")
		l, err := redisCluster.Even(n)
		if err != nil {
			t.Fatal(err)
		}
		count := make([]int, n)
		var fair float64
		for slot := range Slots {
			at := l.OfSlot(slot)
			if at < 0 {
				t.Fatalf("slot %d belongs to nobody", slot)
			}
			count[at]++
		}
		for i, p := range l.Partitions {
			if count[i] < Slots/n-1 || count[i] > Slots/n+1 {
				t.Fatalf("shard %d of %d owns %d slots", i, n, count[i])
			}
			fair += p.Fair
		}
		if fair < 0.999999 || fair > 1.000001 {
			t.Fatalf("fair shares add up to %v", fair)
		}
	})
}

// Every entry of the tables documents itself, and what it names exists.
func TestTablesAreDocumented(t *testing.T) {
	partitioners, topologies, encodings := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range Encodings() {
		if e.ID == "" || e.Title == "" || e.Text == "" || e.Source == "" || encodings[e.ID] {
			t.Errorf("%+v lacks something, or is there twice", e)
		}
		encodings[e.ID] = true
	}
	for _, m := range Topologies() {
		if m.ID == "" || m.Title == "" || m.Text == "" || m.Source == "" || m.is == nil || m.parse == nil || topologies[m.ID] {
			t.Errorf("%+v lacks something, or is there twice", m)
		}
		topologies[m.ID] = true
		if p, ok := Find(m.Default); !ok || !slices.Contains(p.Topologies, m.ID) {
			t.Errorf("%s is for %q, which does not take it", m.ID, m.Default)
		}
	}
	for _, p := range Partitioners() {
		if p.ID == "" || p.Title == "" || p.Text == "" || p.Source == "" || len(p.Encodings) == 0 || (p.build == nil) != (p.Refusal != "") || partitioners[p.ID] {
			t.Errorf("%+v lacks something, or is there twice", p)
		}
		partitioners[p.ID] = true
		if got, ok := Find(p.ID); !ok || got.ID != p.ID {
			t.Errorf("Find(%q) does not find it", p.ID)
		}
		for _, e := range p.Encodings {
			if !encodings[e.ID] {
				t.Errorf("%s has the encoding %s, which is not in the table", p.ID, e.ID)
			}
		}
		for _, m := range p.Topologies {
			if !topologies[m] {
				t.Errorf("%s takes the topology %s, which is not in the table", p.ID, m)
			}
		}
		for _, param := range p.Params {
			if param.Name == "" || param.Text == "" {
				t.Errorf("%s has a parameter that lacks something: %+v", p.ID, param)
			}
		}
	}
	if _, ok := Find("no-such"); ok {
		t.Error("Find finds what is not there")
	}
}
