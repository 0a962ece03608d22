package partition

import (
	"bufio"
	"encoding/hex"
	"os"
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

func lines(t *testing.T, path string, f func(fields []string)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	for s.Scan() {
		f(strings.Split(s.Text(), "\t"))
	}
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

func TestClusterNodes(t *testing.T) {
	tests := []struct{ file, want string }{
		{"cluster_nodes_hostnames.txt", "127.0.0.1:30001=0-5460 127.0.0.1:30002=5461-10922 127.0.0.1:30003=10923-16383"},
		{"cluster_nodes_after_reshard_noaddr.txt", "97a3a646=0-5959,10922-11422 127.0.0.1:7001=5960-10921 127.0.0.1:7002=11423-16383"},
		{"cluster_nodes_after_reshard_3ranges_2016.txt", "127.0.0.1:7002=0-998,5461-6461,10923-16383 127.0.0.1:7000=999-5460 127.0.0.1:7001=6462-10922"},
		{"cluster_nodes_lettuce_nodesWithBusPort.txt", "127.0.0.1:7379=0-11999 127.0.0.1:7380=12000-16383"},
		{"cluster_nodes_lettuce_nodes.txt", "127.0.0.1:7379=0-6999,7001-7999,12001 127.0.0.1:7381=7000,12000,12002-16383 127.0.0.1:7380=8000-11999"},
		{"cluster_nodes_redispy_failed.txt", "172.17.0.7:7005=0-5460 172.17.0.7:7003=5461-10922 172.17.0.7:7004=10923-16383"},
		{"cluster_nodes_with_empty_master.txt", "127.0.0.1:7000=0-5959,10922-11422 127.0.0.1:7001=5960-10921 127.0.0.1:7005=11423-16383"},
		{"nodesconf_ssl-test-cluster_node-7479.conf", "127.0.0.1:7479=0-10000 127.0.0.1:7481=10001-16383"},
		{"nodesconf_ssl-test-cluster_node-7480.conf", "127.0.0.1:7479=0-10000 127.0.0.1:7481=10001-16383"},
	}
	for _, tt := range tests {
		text, err := os.ReadFile(golden.Corpus(t, "topology", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		l, err := ParseTopology(text)
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		if got := describe(l); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.file, got, tt.want)
		}
	}
	for _, other := range []string{"cluster_slots_az_metadata.txt", "kafka_describe_39_elr.txt", "ketama_ketama.servers.txt", "twemproxy_nutcracker.yml"} {
		text, err := os.ReadFile(golden.Corpus(t, "topology", other))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseTopology(text); err == nil {
			t.Errorf("%s was taken for CLUSTER NODES", other)
		}
	}
}

func describe(l *Layout) string {
	var out []string
	for _, p := range l.Partitions {
		var ranges []string
		for _, r := range p.Slots {
			ranges = append(ranges, r.String())
		}
		out = append(out, p.ID+"="+strings.Join(ranges, ","))
	}
	return strings.Join(out, " ")
}

func TestDamagedClusterNodes(t *testing.T) {
	const id = "07c37dfeb235213a872192d90877d0cd55635b91"
	line := func(slots string) string { return id + " 127.0.0.1:7000 master - 0 0 1 connected " + slots }
	for text, want := range map[string]string{
		"":                                   "no node line",
		line(""):                             "owns a slot",
		line("0-16384"):                      "no range",
		line("9-3"):                          "no range",
		line("x"):                            "no slot",
		line("-5"):                           "no slot",
		line("5-"):                           "no range",
		line("0-100") + "\n" + line("50-90"): "belongs to both",
		line("0-100")[:60]:                   "line 1",
		line("0-100") + "\nrubbish":          "line 2",
		"\xff\xfe" + line("0-5"):             "line 1",
	} {
		if _, err := ParseTopology([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzParseTopology(f *testing.F) {
	f.Add([]byte("07c37dfeb235213a872192d90877d0cd55635b91 127.0.0.1:7000@17000,host master - 0 0 1 connected 0-5 7 [8->-x]"))
	f.Add([]byte("vars currentEpoch 2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ParseTopology(text)
		if err != nil {
			return
		}
		for slot := -1; slot <= Slots; slot++ {
			if at := l.OfSlot(slot); at >= len(l.Partitions) {
				t.Fatalf("slot %d belongs to partition %d of %d", slot, at, len(l.Partitions))
			}
		}
	})
}

// Every entry of the tables documents itself.
func TestTablesAreDocumented(t *testing.T) {
	for _, p := range Partitioners() {
		if p.ID == "" || p.Title == "" || p.Text == "" || p.Source == "" || p.Even == nil {
			t.Errorf("%+v lacks something", p)
		}
		if got, ok := Find(p.ID); !ok || got.ID != p.ID {
			t.Errorf("Find(%q) does not find it", p.ID)
		}
	}
	for _, p := range Topologies() {
		if p.ID == "" || p.Title == "" || p.Text == "" || p.Source == "" || p.Parse == nil {
			t.Errorf("%+v lacks something", p)
		}
	}
	if _, ok := Find("no-such"); ok {
		t.Error("Find finds what is not there")
	}
}
