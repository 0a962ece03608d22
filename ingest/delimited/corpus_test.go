package delimited

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// unpacked reads a file and undoes its compression.
func unpacked(t testing.TB, file string) []byte {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r io.Reader = bytes.NewReader(packed)
	switch path.Ext(file) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".xz":
		r, err = xz.NewReader(r)
	case ".zst":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fact is what an independent count says of one column of a trace.
type fact struct {
	Requests uint64
	Distinct int
	Top5     [][2]any
}

// Every trace is recognized from its first 64 KiB. Those that independent counts exist of hold exactly
// what they say; of the others, counts made with awk stand here.
func TestTraces(t *testing.T) {
	var facts struct {
		Traces map[string]fact `json:"traces_and_http"`
	}
	text, err := os.ReadFile(golden.Corpus(t, "FACTS.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	partition := func(x requesttest.Row) string { return x.Partition }
	tenant := func(x requesttest.Row) string { return x.Tenant }
	cases := []struct {
		file, format, from string
		lines              int64
		facts              map[string]func(requesttest.Row) string
	}{
		{"arc_OLTP.lis.zst", "arc", "each block from column 1, as many as column 2 says", 914145, nil},
		{"cachelib_block_traces_1.csv", "metablock", "block_id", 999, map[string]func(requesttest.Row) string{
			"block_id": requesttest.ByKey, "rs_shard_id (partition)": partition, "user_namespace (tenant)": tenant,
		}},
		{"cachelib_kv_traces_1.csv", "kvcache", "key", 99, map[string]func(requesttest.Row) string{
			"key, weighted by op_count": requesttest.ByKey, "usecase, weighted": tenant,
		}},
		{"caffeine_adapt_size_request.trace.xz", "csv", "column 2 (assumed: time, key, size)", 66987, nil},
		{"caffeine_address_gcc.trace.gz", "address", "column 2", 515683, nil},
		{"caffeine_cache2k_web07.trace.xz", "cache2k", "number", 304472 / 4, nil},
		{"caffeine_lirs_gli.trace.gz", "keylist", "the whole line", 6015, map[string]func(requesttest.Row) string{"column 0": requesttest.ByKey}},
		{"caffeine_lirs_loop.trace.gz", "keylist", "the whole line", 505500, map[string]func(requesttest.Row) string{"column 0": requesttest.ByKey}},
		{"caffeine_lirs_multi2.trace.gz", "keylist", "the whole line", 26311, map[string]func(requesttest.Row) string{"column 0": requesttest.ByKey}},
		{"caffeine_lirs_scan.trace.gz", "keylist", "the whole line", 50025, map[string]func(requesttest.Row) string{"column 0": requesttest.ByKey}},
		{"caffeine_lirs_sprite.trace.gz", "keylist", "the whole line", 133996, map[string]func(requesttest.Row) string{"column 0": requesttest.ByKey}},
		{"cloudPhysicsIO.csv", "csv", "lbn", 113872, map[string]func(requesttest.Row) string{"column 4": requesttest.ByKey}},
		{"cloudPhysicsIO.oracleGeneral.bin", "oraclegeneral", "object", 113872, map[string]func(requesttest.Row) string{}},
		{"cloudPhysicsIO.txt", "keylist", "the whole line", 113872, map[string]func(requesttest.Row) string{"column 0": requesttest.ByKey}},
		{"delayedhits_trace.csv", "csv", "column 2", 5000, map[string]func(requesttest.Row) string{"column 1": requesttest.ByKey}},
		{"webcachesim_test.tr", "csv", "column 2 (assumed: time, key, size)", 10492, map[string]func(requesttest.Row) string{"column 1": requesttest.ByKey}},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			text := unpacked(t, golden.Corpus(t, "trace", c.file))
			f, d := choose(text, request.Select{})
			if f.ID != c.format {
				t.Fatalf("detected %q: %+v", f.ID, d)
			}
			requesttest.Same(t, "key", mapped(d)["key"], c.from)
			r, tally := decodeAs(t, f, d, text)
			requesttest.Same(t, "requests", tally.Requests, c.lines)
			if _, bad := tally.Skipped(); bad != 0 {
				t.Errorf("skipped: %+v", tally.Skips)
			}
			for what, by := range c.facts {
				want, ok := facts.Traces["trace/"+c.file+" | "+what]
				if !ok {
					t.Fatalf("no count of %q", what)
				}
				equals(t, r, by, want)
			}
			switch c.file {
			case "cloudPhysicsIO.oracleGeneral.bin": // the same trace
				equals(t, r, requesttest.ByKey, facts.Traces["trace/cloudPhysicsIO.txt | column 0"])
			case "cloudPhysicsIO.csv":
				reads, _, ops := r.Top(5, func(x requesttest.Row) string { return x.Op.String() + " " + x.Command })
				requesttest.Same(t, "operations", fmt.Sprint(reads, ops), "113872 [write 2A 66898 read 28 46974]")
			case "cachelib_kv_traces_1.csv":
				_, _, ops := r.Top(5, func(x requesttest.Row) string { return x.Command })
				requesttest.Same(t, "operations", ops, []string{"GET_LEASE 511", "GET 167", "SET 8", "DELETE 3", "SET_LEASE 2"})
			case "caffeine_address_gcc.trace.gz":
				_, _, ops := r.Top(5, func(x requesttest.Row) string { return x.Op.String() })
				requesttest.Same(t, "operations", ops, []string{"read 318197", "write 197486"})
			}
		})
	}
}

func equals(t *testing.T, r *requesttest.Rows, by func(requesttest.Row) string, want fact) {
	t.Helper()
	total, distinct, five := r.Top(5, by)
	requesttest.Same(t, "requests", total, want.Requests)
	requesttest.Same(t, "distinct", distinct, want.Distinct)
	var top []string
	for _, pair := range want.Top5 {
		top = append(top, fmt.Sprint(pair[0], " ", pair[1]))
	}
	requesttest.Same(t, "top five", five, top)
}

// Nothing marks these records, so they are only read when the user says what they are.
func TestUnmarkedBinary(t *testing.T) {
	text := unpacked(t, golden.Corpus(t, "trace", "caffeine_cache2k_orm-busy.trace.xz"))[:1<<20]
	if f, d := choose(text, request.Select{}); f.ID != "" && d.Share() >= 0.5 {
		t.Errorf("detected %q: %+v", f.ID, d)
	}
	f := named(t, "cache2k")
	r, tally := decodeAs(t, f, f.Detect(text, request.Select{}), text)
	requesttest.Same(t, "requests", tally.Requests, 1<<18)
	requesttest.Same(t, "first keys", r.Keys()[:3], []string{"-268435455", "-2013265408", "-2013264896"})
}

// What holds no requests is refused by every format.
func TestRefused(t *testing.T) {
	for _, file := range []string{
		"hotlists/nodetool_toppartitions_scylla_docs.txt", "hotlists/redis86_hotkeys_get.txt",
		"hotlists/rediscli_hotkeys_404.txt", "hotlists/twitter_redis_faina_summary.txt",
		"stats/hll_cumulative_add_sparse_random.csv", "stats/powerlaw_expected.tsv",
		"columnar/at_aggregate_test_100.csv", "topology/nodetool_ring_3nodes_owns.txt",
		"topology/ketama_ketama.servers.txt", "topology/kafka_describe_2x_3brokers_tabs.txt",
	} {
		text := unpacked(t, golden.Corpus(t, strings.Split(file, "/")...))
		if f, d := choose(text, request.Select{}); d.New != nil && d.Share() >= 0.5 {
			t.Errorf("%s: detected %q, %+v", file, f.ID, d)
		}
	}
}
