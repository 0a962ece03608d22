package partition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// vector is what independent implementations make of one key: the hash, or the partition among 12 (Kafka,
// mod, jump), 5 (Elasticsearch) or 3 (memcached). They are Redis 7.0.15, franz-go, Sarama, gocql,
// cespare/xxhash, dgryski/go-jump and libmemcached 1.1.4; rendezvous is our own definition.
type vector struct {
	key                                          string
	crc16, slot                                  int
	murmur2                                      int32
	kafkaMurmur2, kafkaCRC32, kafkaFNV1a         int
	token                                        int64
	esHash                                       int32
	esShard                                      int
	mongo                                        int64
	fnv1a32                                      uint32
	fnv1a64, xxh64                               uint64
	crc32                                        uint32
	modCRC32, modFNV1a64, modXXH64, jump         int
	rendezvous                                   int
	ketama111, ketama123, ketamaPlain, modulaCRC int
}

var vectors = []vector{
	{"", 0, 0, 275646681, 9, 0, -1, -9223372036854775808, 0, 0, 2049396243249673340, 2166136261, 14695981039346656037, 17241709254077376921, 0, 0, 5, 9, 7, 1, 1, 1, 1, 0},
	{"a", 31879, 15495, -1563381124, 4, 3, 0, -8839064797231613815, 1867108634, 1, 2780795045148116090, 3826002220, 12638187200555641996, 15154266338359012955, 3904355907, 3, 4, 11, 8, 1, 2, 2, 2, 2},
	{"foo", 44950, 12182, 597841616, 8, 5, 1, -2129773440516405919, 2085578581, 2, -6572403338640917246, 2851307223, 15902901984413996407, 3728699739546630719, 2356372769, 5, 7, 11, 10, 1, 0, 0, 0, 1},
	{"user:1001", 22096, 5712, -1961883735, 5, 5, 2, 4496559389370796156, 939610009, 3, -5215371612254224173, 1333533686, 5312262665563488470, 9640703060751656962, 3899860853, 5, 2, 10, 2, 1, 1, 1, 0, 0},
	{"123456789", 12739, 12739, -1822237082, 6, 2, 0, 4360720697772133540, -1370172686, 0, 8714113795456591472, 3146166556, 492395637191921148, 10139926970967174787, 3421780262, 2, 0, 7, 3, 2, 0, 2, 1, 1},
	{"{user1000}.following", 28602, 3443, 1472085303, 3, 7, 2, -7247601525716410192, -261170265, 2, 6259295145992442061, 635925110, 7934284758241024630, 13256074243365231412, 1980515311, 7, 10, 4, 5, 2, 2, 2, 1, 1},
	{"foo{}{bar}", 57515, 8363, -95125669, 7, 1, 8, 7460145836319355300, 1344157351, 4, 2994096110634894586, 463964696, 17379875541922275288, 5346142528933772770, 2301895513, 1, 0, 10, 7, 1, 2, 2, 1, 1},
	{"foo{{bar}}zap", 28634, 4015, -562111146, 2, 7, 5, -5383494395709862957, 821585209, 4, 6823605328208696819, 3423707735, 11046308886595792919, 17902618887395434476, 1352673247, 7, 11, 0, 0, 0, 2, 2, 2, 0},
	{"foo{bar}{zap}", 53922, 5061, -1957072811, 9, 9, 9, -8444955492997109400, 806199559, 4, 5642169552932298055, 2613637387, 16352179796277371147, 17875398559668516164, 1453342389, 9, 11, 8, 9, 0, 2, 2, 0, 0},
	{"key-0000000000001", 41694, 8926, -1094851866, 2, 9, 2, -5120786770145814759, -1165532341, 3, 6550408702841937002, 3896777174, 2705153171160794166, 14001000613994760144, 3925710681, 9, 6, 0, 2, 1, 1, 1, 1, 1},
	{"hello world", 15332, 15332, 1221641059, 7, 9, 1, 5998619086395760910, 1689409188, 4, -7459751354585120264, 3582672807, 8618312879776256743, 5020219685658847592, 222957957, 9, 7, 8, 7, 2, 0, 1, 1, 0},
	{"café", 38503, 5735, -1358007374, 6, 5, 3, -5777272221172978824, -1807121063, 1, -4967458701214880367, 2821410889, 5253592154431032713, 11115070494344764010, 2561491637, 5, 5, 2, 7, 1, 2, 2, 2, 2},
	{"0123456789abcdef", 59557, 10405, 1438427052, 0, 3, 7, 5467490433528156583, 1517926940, 4, -8297130530752850077, 2277258045, 3330193207084279677, 6655072042875317515, 1757737011, 3, 9, 7, 3, 0, 0, 2, 1, 0},
	{"\xff\xfe\xfd", 49439, 287, 998637092, 8, 1, 9, 4778542740094909933, 500243741, 4, -9013439896321704113, 2371999255, 17984054307375792599, 7072103970634047760, 149598061, 1, 11, 4, 10, 2, 1, 1, 0, 2},
}

// threeServers is the list of the memcached vectors; the weights of its second form are 1, 2 and 3.
const (
	threeServers    = "10.0.1.1:11211\n10.0.1.2:11211\n10.0.1.3:11212\n"
	weightedServers = "10.0.1.1:11211 1\n10.0.1.2:11211 2\n10.0.1.3:11212 3\n"
)

// layout makes a layout as the command line does: spec is the partitioner and its parameters, topology the
// text of a topology file, "" for none.
func layout(t testing.TB, spec string, shards int, topology, encoding string) *Layout {
	t.Helper()
	p, params, err := ParseSpec(spec)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	o := Options{Shards: shards, Encoding: encoding, Params: params}
	if topology != "" {
		if o.Map, err = ReadTopology([]byte(topology)); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
	}
	l, err := p.Layout(o)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return l
}

func TestVectors(t *testing.T) {
	const nodes = "10.0.1.1\n10.0.1.2\n10.0.1.3:11212\n"
	for _, at := range []struct {
		layout *Layout
		want   func(v vector) int
	}{
		{layout(t, "kafka-murmur2", 12, "", ""), func(v vector) int { return v.kafkaMurmur2 }},
		{layout(t, "kafka-crc32", 12, "", ""), func(v vector) int {
			if v.key == "" { // "consistent_random": the column is that of "consistent"
				return -1
			}
			return v.kafkaCRC32
		}},
		{layout(t, "kafka-fnv1a", 12, "", ""), func(v vector) int { return v.kafkaFNV1a }},
		{layout(t, "elasticsearch", 5, "", ""), func(v vector) int { return v.esShard }},
		{layout(t, "mod-crc32", 12, "", ""), func(v vector) int { return v.modCRC32 }},
		{layout(t, "mod-fnv1a-32", 12, "", ""), func(v vector) int { return int(v.fnv1a32 % 12) }},
		{layout(t, "mod-fnv1a-64", 12, "", ""), func(v vector) int { return v.modFNV1a64 }},
		{layout(t, "mod-xxh64", 12, "", ""), func(v vector) int { return v.modXXH64 }},
		{layout(t, "jump", 12, "", ""), func(v vector) int { return v.jump }},
		{layout(t, "rendezvous", 0, nodes, ""), func(v vector) int { return v.rendezvous }},
		{layout(t, "ketama", 0, threeServers, ""), func(v vector) int { return v.ketama111 }},
		{layout(t, "ketama", 0, weightedServers, ""), func(v vector) int { return v.ketama123 }},
		{layout(t, "ketama-plain", 0, threeServers, ""), func(v vector) int { return v.ketamaPlain }},
		{layout(t, "modula,hash=crc", 3, "", ""), func(v vector) int { return v.modulaCRC }},
	} {
		for _, v := range vectors {
			if got := at.layout.Of([]byte(v.key)); got != at.want(v) {
				t.Errorf("%s: %q goes to %d, want %d", at.layout.Title, v.key, got, at.want(v))
			}
		}
	}
	for _, v := range vectors {
		key := []byte(v.key)
		utf16, _ := appendUTF16(nil, key)
		mongo, _ := mongoDB.Encodings[0].encode(nil, key)
		for _, h := range []struct {
			name      string
			got, want any
		}{
			{"crc16", int(crc16(key)), v.crc16}, {"slot", Slot(key), v.slot}, {"murmur2", murmur2(key), v.murmur2},
			{"token", token(key), v.token}, {"murmur3", int32(murmur3(utf16, 0)), v.esHash},
			{"MongoDB", mongoHash(mongo), v.mongo}, {"fnv1a-32", fnv1a32(key), v.fnv1a32},
			{"fnv1a-64", fnv1a64(key), v.fnv1a64}, {"xxh64", xxhash.Sum64(key), v.xxh64},
		} {
			if h.got != h.want {
				t.Errorf("%s(%q) = %v, want %v", h.name, v.key, h.got, h.want)
			}
		}
	}
}

// The hashes and servers of libmemcached 1.1.4, asked through its library.
func TestLibmemcached(t *testing.T) {
	hashes := map[string]map[string]uint32{
		"a":                 {"one_at_a_time": 3392050242, "md5": 3111502092, "crc": 26807, "fnv1_64": 2248259518, "fnv1a_64": 2248273036, "fnv1_32": 84696446, "fnv1a_32": 3826002220, "murmur3": 2289228744},
		"user:1001":         {"one_at_a_time": 2745963488, "md5": 3839126290, "crc": 26739, "fnv1_64": 3550362912, "fnv1a_64": 2927313110, "fnv1_32": 2796551328, "fnv1a_32": 1333533686, "murmur3": 3893942624},
		"foo":               {"one_at_a_time": 596015325, "md5": 3675831724, "crc": 3187, "fnv1_64": 1805727027, "fnv1a_64": 4275688823, "fnv1_32": 1083137555, "fnv1a_32": 2851307223, "murmur3": 2784297138},
		"key-0000000000001": {"one_at_a_time": 2512244922, "md5": 3600640467, "crc": 27133, "fnv1_64": 3537345744, "fnv1a_64": 101680182, "fnv1_32": 3541562576, "fnv1a_32": 3896777174, "murmur3": 2356071942},
		"{user}:1":          {"one_at_a_time": 1835443177, "md5": 2384037009, "crc": 8004, "fnv1_64": 1170825077, "fnv1a_64": 1895942829, "fnv1_32": 690125781, "fnv1a_32": 3438246413, "murmur3": 415911298},
		"hello world":       {"one_at_a_time": 1045060183, "md5": 3141252702, "crc": 3402, "fnv1_64": 2979073647, "fnv1a_64": 37540583, "fnv1_32": 1418570095, "fnv1a_32": 3582672807, "murmur3": 2727477341},
		"café":              {"one_at_a_time": 3650908318, "md5": 3833532679, "crc": 6317, "fnv1_64": 2315714289, "fnv1a_64": 3472276361, "fnv1_32": 3598905713, "fnv1a_32": 1970454601, "murmur3": 592794272},
	}
	for key, of := range hashes {
		for name, want := range of {
			h, err := findHash(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.sum([]byte(key)); got != want {
				t.Errorf("%s(%q) = %d, want %d", name, key, got, want)
			}
		}
	}
	keys := []string{"a", "user:1001", "foo", "key-0000000000001", "{user}:1", "hello world", "café"}
	for _, tt := range []struct {
		spec, servers string
		of            [7]int
		counts        [3]int // of key-0 to key-29999
	}{
		{"modula", threeServers, [7]int{0, 2, 0, 0, 1, 1, 1}, [3]int{10168, 9894, 9938}},
		{"modula,hash=crc", threeServers, [7]int{2, 0, 1, 1, 0, 0, 2}, [3]int{9890, 9912, 10198}},
		{"modula,hash=fnv1a_32", threeServers, [7]int{1, 2, 0, 2, 2, 0, 1}, [3]int{9983, 10041, 9976}},
		{"modula,hash=fnv1a_64", threeServers, [7]int{1, 2, 2, 0, 0, 2, 2}, [3]int{8200, 12190, 9610}},
		{"modula,hash=fnv1_64", threeServers, [7]int{1, 0, 0, 0, 2, 0, 0}, [3]int{10018, 10020, 9962}},
		{"ketama-plain", threeServers, [7]int{2, 0, 0, 1, 1, 1, 2}, [3]int{10115, 10995, 8890}},
		{"ketama-plain,hash=md5", threeServers, [7]int{2, 2, 1, 1, 0, 0, 2}, [3]int{8620, 11964, 9416}},
		{"ketama", threeServers, [7]int{2, 1, 0, 1, 0, 0, 2}, [3]int{9147, 10135, 10718}},
		{"ketama", weightedServers, [7]int{2, 1, 0, 1, 2, 1, 2}, [3]int{4963, 9439, 15598}},
	} {
		l := layout(t, tt.spec, 0, tt.servers, "")
		for i, key := range keys {
			if got := l.Of([]byte(key)); got != tt.of[i] {
				t.Errorf("%s: %q goes to %d, want %d", l.Title, key, got, tt.of[i])
			}
		}
		var counts [3]int
		for i := range 30000 {
			counts[l.Of(fmt.Appendf(nil, "key-%d", i))]++
		}
		if counts != tt.counts {
			t.Errorf("%s: %v keys, want %v", l.Title, counts, tt.counts)
		}
		for i, p := range l.Partitions {
			if share := float64(counts[i]) / 30000; strings.HasPrefix(tt.spec, "ketama") && (share < p.Fair-0.02 || share > p.Fair+0.02) {
				t.Errorf("%s: %s has %.3f of the keys and %.3f of the ring", l.Title, p.ID, share, p.Fair)
			}
		}
	}
}
