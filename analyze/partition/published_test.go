package partition

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"keyskew/golden"
)

// What the projects' own tests, papers and servers say, beside the common table in vectors_test.go.

func TestKafkaMurmur2(t *testing.T) {
	for key, want := range map[string]int32{ // UtilsTest.testMurmur2
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
		"a-little-bit-longer-string": -1486304829, "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107, "": 275646681,
	} {
		if got := murmur2([]byte(key)); got != want {
			t.Errorf("murmur2(%q) = %d, want %d", key, got, want)
		}
	}
}

// The reference variant of Sarama clears the sign bit where the other drops the sign.
func TestKafkaFNV1aReference(t *testing.T) {
	l := layout(t, "kafka-fnv1a-reference", 12, "", "")
	for _, v := range vectors {
		want := int(v.fnv1a32&0x7fffffff) % 12
		if v.key == "" {
			want = -1
		}
		if got := l.Of([]byte(v.key)); got != want {
			t.Errorf("%q goes to %d, want %d", v.key, got, want)
		}
	}
}

// What nc_hsieh.c and nc_murmur.c of twemproxy give on x86, where char is signed.
func TestTwemproxyHashes(t *testing.T) {
	for key, want := range map[string][2]uint32{
		"": {0, 0}, "a": {2472816263, 1262581116}, "ab": {1535905475, 3820310011}, "abc": {3843582778, 2064434216},
		"user:1001": {3661336675, 1285847563}, "foo": {1993659431, 3303027599}, "hello world": {1333368947, 1578702139},
		"café": {3728705621, 3658586143}, "\xff\xfe\xfd": {3649655134, 3269769215},
	} {
		murmur, err := findHash("murmur")
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]uint32{hsieh([]byte(key)), murmur.sum([]byte(key))}; got != want {
			t.Errorf("hsieh and murmur of %q = %v, want %v", key, got, want)
		}
	}
}

func TestJumpHash(t *testing.T) {
	for _, tt := range []struct {
		key     uint64
		buckets int
		want    int
	}{ // dgryski/go-jump
		{0xdeadbeef, 1, 0}, {0xdeadbeef, 2, 1}, {0xdeadbeef, 5, 3}, {0xdeadbeef, 10, 5}, {0xdeadbeef, 100, 87}, {0xdeadbeef, 1000, 285},
		{256, 1, 0}, {256, 2, 1}, {256, 5, 3}, {256, 10, 3}, {256, 100, 16}, {256, 1000, 520},
		{0, 1, 0}, {0, 2, 0}, {0, 5, 0}, {0, 10, 0}, {0, 100, 0}, {0, 1000, 0},
	} {
		if got := jumpHash(tt.key, tt.buckets); got != tt.want {
			t.Errorf("jump(%d, %d) = %d, want %d", tt.key, tt.buckets, got, tt.want)
		}
	}
}

func TestModHashes(t *testing.T) {
	// RFC 1321 and FIPS 180-4: MD5("abc") begins 900150983cd24fb0, SHA-1("abc") begins a9993e36.
	md5, sha1 := layout(t, "mod-md5", 4096, "", ""), layout(t, "mod-sha1", 4096, "", "")
	if got, want := md5.Of([]byte("abc")), 0xfb0; got != want {
		t.Errorf("mod-md5 sends abc to %d, want %d", got, want)
	}
	if got, want := sha1.Of([]byte("abc")), 0xe36; got != want {
		t.Errorf("mod-sha1 sends abc to %d, want %d", got, want)
	}
	number := layout(t, "mod-int", 64, "", "")
	for key, want := range map[string]int{
		"user:1001": 1001 % 64, "7:cart": 7, "a1b2": 2, "0": 0, "no number": -1, "": -1,
		"18446744073709551615": 63, "18446744073709551616": -1, "x\xff12": 12,
	} {
		if got := number.Of([]byte(key)); got != want {
			t.Errorf("mod-int sends %q to %d, want %d", key, got, want)
		}
	}
}

func TestElasticsearch(t *testing.T) {
	for text, want := range map[string]uint32{ // Murmur3HashFunctionTests
		"hell": 0x5a0cb7c3, "hello": 0xd7c31989, "hello w": 0x22ab2984, "hello wo": 0xdf0ca123, "hello wor": 0xe7744d61,
		"": 0, "h": 0x3fb8ba02, "he": 0xce30a49f, "hel": 0x0c7cee6b,
		"Γειά σου Κόσμε": 0x8ded82be, "Supplementary planes too 🙂": 0x8274606c,
		"The quick brown fox jumps over the lazy dog": 0xe07db09c,
		"The quick brown fox jumps over the lazy cog": 0x4e63d2ad,
	} {
		utf16, _ := appendUTF16(nil, []byte(text))
		if got := murmur3(utf16, 0); got != want {
			t.Errorf("murmur3(%q) = %x, want %x", text, got, want)
		}
	}
	for shards, want := range map[int]string{ // calculateNumRoutingShards
		1: "1024 routing", 2: "1024 routing", 3: "768 routing", 5: "640 routing", 9: "576 routing", 512: "1024 routing",
		513: "1026 routing", 1024: "2048 routing",
	} {
		if l := layout(t, "elasticsearch", shards, "", ""); !strings.Contains(l.Title, want) {
			t.Errorf("%d shards: %s, want %s shards", shards, l.Title, want)
		}
	}
	// Before 7.0 the shards themselves: floorMod(2085578581, 5) and floorMod(-1807121063, 5).
	old := layout(t, "elasticsearch,routing_shards=5", 5, "", "")
	for key, want := range map[string]int{"foo": 1, "café": 2} {
		if got := old.Of([]byte(key)); got != want {
			t.Errorf("%q goes to %d, want %d", key, got, want)
		}
	}
}

func TestMongoDB(t *testing.T) {
	for _, tt := range []struct {
		encoding, key string
		want          int64
	}{ // hasher_test.cpp
		{"int64", "42", -944302157085130861}, {"int32", "42", -944302157085130861}, {"decimal", "42.123", -944302157085130861},
		{"int64", "0", 4854801880128277513}, {"decimal", "0.456", 4854801880128277513}, {"int64", "1", 5902408780260971510},
		{"decimal", "1.987", 5902408780260971510}, {"int64", "-1", 1140205862565771219}, {"decimal", "-1.789", 1140205862565771219},
		{"int32", "-2147483648", 6165898260261354870}, {"int64", "2147483647", 1143184177162245883},
		{"int64", "9223372036854775807", 921523596458303250}, {"int64", "-9223372036854775808", 4532067210535695462},
		{"int64", "1001", -1323699916209230442},
		{"utf8", "abc", 8478485326885698097}, {"utf8", "", 2049396243249673340},
		{"hex", "000102030406", 7252465090394235301}, {"base64", "AAECAwQG", 7252465090394235301},
		{"uuid", "00010203-0405-0607-0809-0a0b0c0d0e0f", 6084661258071355978},
		{"objectid", "010203040506070809101112", -5588663249627035708}, {"objectid", "000000000000000000000000", -4293118519463489418},
	} {
		at := slices.IndexFunc(mongoDB.Encodings, func(e Encoding) bool { return e.ID == tt.encoding })
		value, ok := mongoDB.Encodings[at].encode(nil, []byte(tt.key))
		if got := mongoHash(value); !ok || got != tt.want {
			t.Errorf("%s %q: %d %v, want %d", tt.encoding, tt.key, got, ok, tt.want)
		}
	}
	// The even division is symmetrical about 0.
	for n, want := range map[int][]int64{
		2: {0}, 3: {-3074457345618258602, 3074457345618258602}, 4: {-4611686018427387902, 0, 4611686018427387902},
	} {
		ranges := evenChunks(n)
		var points []int64
		for _, r := range ranges[1:] {
			points = append(points, int64(r.first.low^1<<63))
		}
		if !slices.Equal(points, want) {
			t.Errorf("%d shards divide at %d, want %d", n, points, want)
		}
	}
}

func TestPostgres(t *testing.T) {
	text, number := layout(t, "postgres-hash", 4, "", ""), layout(t, "postgres-hash", 4, "", "int64")
	short := layout(t, "postgres-hash", 4, "", "int32")
	for key, want := range map[string]int{ // satisfies_hash_partition of PostgreSQL 15
		"": 2, "a": 2, "abc": 1, "user:1001": 0, "hello world": 0, "key-0000000000001": 1, "é": 3,
	} {
		if got := text.Of([]byte(key)); got != want {
			t.Errorf("%q goes to %d, want %d", key, got, want)
		}
	}
	for key, want := range map[string]int{"0": 0, "1": 0, "42": 2, "-1": 1, "1001": 0} {
		if got := number.Of([]byte(key)); got != want {
			t.Errorf("%s goes to %d, want %d", key, got, want)
		}
		if got := short.Of([]byte(key)); got != want {
			t.Errorf("%s as int4 goes to %d, want %d", key, got, want)
		}
	}
	extended := func(b, c uint32) int64 { return int64(uint64(b)<<32 | uint64(c)) }
	for key, want := range map[string]int64{"a": -6705225459120232837, "user:1001": -58390157536768919} {
		if got := extended(pgHash([]byte(key), pgPartitionSeed)); got != want {
			t.Errorf("hashtextextended(%q) = %d, want %d", key, got, want)
		}
	}
	if got, want := extended(pgHashInt(42, pgPartitionSeed)), int64(7363975540656877951); got != want {
		t.Errorf("hashint8extended(42) = %d, want %d", got, want)
	}
	for key, want := range map[string]int32{"a": 1075015857, "user:1001": -1596100474} { // hashtext, of Citus shards
		if _, c := pgHash([]byte(key), 0); int32(c) != want {
			t.Errorf("hashtext(%q) = %d, want %d", key, int32(c), want)
		}
	}
	citus := layout(t, "citus-hash", 4, "", "") // ranges of 2^30 from -2^31 on
	for key, want := range map[string]int{"a": 3, "user:1001": 0} {
		if got := citus.Of([]byte(key)); got != want {
			t.Errorf("Citus sends %q to %d, want %d", key, got, want)
		}
	}
}

func TestScylla(t *testing.T) {
	l := layout(t, "scylla,cores=12", 1, "", "")
	for key, want := range map[string]int{"a": 4, "b": 6, "c": 6, "e": 4, "100000": 2} { // test_shard_aware.py
		if got := l.Of([]byte(key)); got != want {
			t.Errorf("%q goes to the core %d, want %d", key, got, want)
		}
	}
	two := layout(t, "scylla,cores=12", 2, "", "")
	for _, key := range []string{"a", "b", "foo", "hello world"} {
		at := two.Of([]byte(key))
		if node := layout(t, "cassandra", 2, "", "").Of([]byte(key)); at/12 != node || at%12 != l.Of([]byte(key)) {
			t.Errorf("%q goes to %s, want the node %d and core %d", key, two.Partitions[at].ID, node, l.Of([]byte(key)))
		}
	}
}

func TestCassandraRing(t *testing.T) {
	l := layout(t, "cassandra", 0, "-100\tb\n0\ta\n100\tb\n9223372036854775807\tc\n", "")
	if got, want := l.Partitions[0].ID+l.Partitions[1].ID+l.Partitions[2].ID, "bac"; got != want {
		t.Fatalf("nodes %s, want %s", got, want)
	}
	r, _, err := tokenRing(Options{Map: &Map{Tokens: []Token{{-100, "b"}, {0, "a"}, {100, "b"}, {math.MaxInt64, "c"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[int64]int{ // ranges are (previous, this]
		math.MinInt64: 0, -101: 0, -100: 0, -99: 1, 0: 1, 1: 0, 100: 0, 101: 2, math.MaxInt64: 2,
	} {
		if got := r.of(place(token)); got != want {
			t.Errorf("the token %d belongs to %d, want %d", token, got, want)
		}
	}
	// Keys of Murmur3Partitioner by their columns: CompositeType writes length, value and a zero byte.
	composite := layout(t, "cassandra", 3, "", "int32:utf8")
	by, _ := hex.DecodeString("0004" + "00000007" + "00" + "0003" + hex.EncodeToString([]byte("a:b")) + "00")
	if got, want := composite.Of([]byte("7:a:b")), layout(t, "cassandra", 3, "", "").Of(by); got != want {
		t.Errorf("7:a:b goes to %d, want %d", got, want)
	}
	if got := composite.Of([]byte("7")); got != -1 {
		t.Errorf("a key without its second column goes to %d", got)
	}
}

func TestMcrouter(t *testing.T) {
	for n, of := range map[int]map[string]int{ // Ch3HashTest.cpp
		100: {"sample": 97, "": 72}, 1: {"sample": 0, "": 0}, 1 << 23: {"": 6173600, "sample": 5167780},
	} {
		for key, want := range of {
			if got := furcHash([]byte(key), n); got != want {
				t.Errorf("%q of %d goes to %d, want %d", key, n, got, want)
			}
		}
	}
	var up []byte
	for i := range 256 {
		up = append(up, byte(i-128))
	}
	if got := furcHash(up, 99999); got != 31015 {
		t.Errorf("256 bytes go to %d, want 31015", got)
	}
	slices.Reverse(up)
	if got := furcHash(up, 99999); got != 67101 {
		t.Errorf("256 bytes in reverse go to %d, want 67101", got)
	}
	for n, want := range map[int][]int{3: {307, 342, 351}, 10: {995, 955, 1046, 968, 1032, 972, 1016, 1038, 1010, 968}} {
		counts := make([]int, n)
		for i := range map[int]int{3: 1000, 10: 10000}[n] {
			counts[furcHash(strconv.AppendInt(nil, int64(i), 10), n)]++
		}
		if !slices.Equal(counts, want) {
			t.Errorf("%d servers: %v, want %v", n, counts, want)
		}
	}
	for n, of := range map[int]map[string]int{ // Crc32HashTest.cpp
		100: {"sample": 7, "": 0}, 1: {"sample": 0, "": 0}, 1<<30 - 1: {"": 0, "sample": 822834884}, 99999: {string(up): 97630},
	} {
		for key, want := range of {
			if got := crcServer([]byte(key), n); got != want {
				t.Errorf("Crc32 of %.20q of %d is %d, want %d", key, n, got, want)
			}
		}
	}
	constant := layout(t, "mcrouter,hash=ConstShard", 4, "", "")
	for key, want := range map[string]int{ // ConstShardHashFuncTest.cpp
		"b:3:meh": 3, "bl:2:meh": 2, "bla:1:meh": 1, "blah:0:meh": 0,
		"blahmeh": 2, "blah:meh": 0, "blah::meh": 1, "blah:12c34:meh": 0, "blah:4:meh": 3,
	} {
		if got := constant.Of([]byte(key)); got != want {
			t.Errorf("%q goes to %d, want %d", key, got, want)
		}
	}
	l := layout(t, "mcrouter", 100, "", "")
	for _, key := range []string{"/a/b/sample", "sample|#|more", "/a/b/sample|#|more"} {
		if got := l.Of([]byte(key)); got != 97 {
			t.Errorf("%q goes to %d, want 97", key, got)
		}
	}
}

func TestKinesisEven(t *testing.T) {
	ranges := evenHashes(3)
	for i, want := range []string{ // a stream of 3 shards
		"0", "113427455640312821154458202477256070485", "226854911280625642308916404954512140970",
	} {
		if first, _ := parseWide(want); ranges[i].first != first {
			t.Errorf("shard %d begins at %v, want %v", i, ranges[i].first, first)
		}
	}
	for _, n := range []int{1, 2, 3, 4, 7, 64, MaxPartitions} {
		ranges := evenHashes(n)
		if ranges[0].first != (wide{}) || ranges[n-1].last != (wide{math.MaxUint64, math.MaxUint64}) {
			t.Errorf("%d shards do not cover all hashes", n)
		}
		for i := 1; i < n; i++ {
			if ranges[i].first.minus(ranges[i-1].last) != (wide{0, 1}) {
				t.Errorf("%d shards: a gap before %d", n, i)
			}
		}
	}
	// MD5("abc") is 900150983cd24fb0...: the upper half of two shards.
	if got := layout(t, "kinesis", 2, "", "").Of([]byte("abc")); got != 1 {
		t.Errorf("abc goes to %d, want 1", got)
	}
}

// The fixtures of other projects' tests.
func TestVectorCorpus(t *testing.T) {
	count := 0
	each := func(name string, f func(fields []string)) {
		lines(t, golden.Corpus(t, "vectors", name), func(fields []string) {
			if strings.HasPrefix(fields[0], "#") || slices.Contains(fields, "key") {
				return
			}
			count++
			f(fields)
		})
	}
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	each("kafka_murmur2.tsv", func(f []string) {
		if got := fmt.Sprint(murmur2(unhex(f[0]))); got != f[2] {
			t.Errorf("murmur2(%q) = %s, want %s", f[1], got, f[2])
		}
	})
	each("cassandra_murmur3_h1.tsv", func(f []string) {
		if got := fmt.Sprint(token(unhex(f[0]))); got != f[2] && len(f[0]) > 0 { // the empty key has a token of its own
			t.Errorf("token(%q) = %s, want %s", f[1], got, f[2])
		}
	})
	each("memcached_hashes.tsv", func(f []string) {
		h, err := findHash(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(h.sum([]byte(f[1]))); got != f[2] {
			t.Errorf("%s(%q) = %s, want %s", f[0], f[1], got, f[2])
		}
	})
	servers, err := os.ReadFile(golden.Corpus(t, "topology", "ketama_ketama.servers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	ring := layout(t, "ketama", 0, string(servers), "")
	each("ketama_99_keys_8_servers.tsv", func(f []string) {
		key := unhex(f[0])
		if got := fmt.Sprint(md5First(key)); got != f[2] {
			t.Errorf("md5(%q) = %s, want %s", f[1], got, f[2])
		}
		if got := ring.Partitions[ring.Of(key)].ID; got != f[4]+":11211" {
			t.Errorf("%q goes to %s, want %s", f[1], got, f[4])
		}
	})
	if want := 6 + 24 + 208 + 99; count != want {
		t.Errorf("%d vectors, want %d", count, want)
	}
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
