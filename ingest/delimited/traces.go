package delimited

import (
	"bytes"
	"slices"
	"strings"

	"keyskew/ingest/request"
)

const twitterNames = "timestamp,key,key_size,value_size,client_id,operation,TTL"

func twitterFormat() request.Format {
	return request.Format{
		ID:    "twitter",
		Title: "Twitter cache trace",
		Text: "Seven columns between commas, no header: time in seconds, key, key size, value size, client, " +
			"operation, TTL in seconds. Keys may hold commas: one column is cut from the left and five from " +
			"the right.",
		Source: "twitter/cache-trace, README",
		Detect: detectTwitter,
		CutOff: cutOff,
	}
}

// twitterOps are the operations of memcached that the trace has.
var twitterOps = strings.Fields("get gets set add replace cas append prepend delete incr decr")

func detectTwitter(head []byte, s request.Select) request.Detection {
	dialect := dialect{delimiter: ',', twitter: true}
	cut := splitter{dialect: dialect}
	d := judge(sampled(head), "not seven columns of a Twitter trace", func(line []byte) bool {
		if cut.cut(line, false) != "" {
			return false
		}
		c := cut.cells
		return whole(c[0]) && whole(c[2]) && whole(c[3]) && whole(c[6]) && slices.Contains(twitterOps, string(c[5]))
	})
	l := layout{dialect: dialect, columns: newColumns(7, strings.Split(twitterNames, ","))}
	l.keys = []int{1}
	l.at[timeRole], l.at[sizeRole], l.at[clientRole], l.at[opRole], l.at[ttlRole] = 0, 3, 4, 5, 6
	if problem := l.asked(s); problem != "" {
		d.Reason = problem
		return d
	}
	l.clock = wholeSeconds(head, l.at[timeRole], dialect, s)
	d.Mapping = l.mapping(l.clock)
	d.New = func() request.Decoder { return newDecoder(l) }
	return d
}

// whole says that a cell is digits and nothing else.
func whole(cell []byte) bool {
	_, ok := digits(cell[:min(len(cell), 18)])
	return ok && len(cell) > 0 && len(cell) < 19
}

// wholeSeconds is the clock of a trace whose times are seconds, from whenever; --time-format overrides.
func wholeSeconds(head []byte, column int, d dialect, s request.Select) clock {
	var cells [][]byte
	for _, l := range sampled(head) {
		if row := cutOnce(l.text, d); column >= 0 && column < len(row) && numeric(row[column]) {
			cells = append(cells, row[column])
		}
	}
	c, _ := newClock(cells, s.TimeFormat, s.Zone)
	if len(cells) == 0 && s.TimeFormat == "" {
		c = clock{unit: 1e9, words: "relative seconds"}
	}
	return c
}

func kvcacheFormat() request.Format {
	return request.Format{
		ID:    "kvcache",
		Title: "CacheLib key-value trace",
		Text: "Columns between commas, named by a header in any order: key, op, size, and any of op_time, " +
			"op_count, key_size, cache_hits, ttl, usecase, sub_usecase. op_count is a weight: a row stands " +
			"for so many requests. The oldest traces have no header: key, op, size, op_count, key_size, ttl.",
		Source: "facebook/CacheLib, KVReplayGenerator.h",
		Detect: func(head []byte, s request.Select) request.Detection {
			return detectMeta(head, s, kvcacheNames, "key op size op_count", kvcacheOld)
		},
		Header: func(line []byte) bool { return isMetaHeader(line, kvcacheNames, "key op size op_count") },
		CutOff: cutOff,
	}
}

func metaBlockFormat() request.Format {
	return request.Format{
		ID:    "metablock",
		Title: "CacheLib block trace",
		Text: "Columns between commas, named by a header in any order: block_id, op_name, io_size, and any " +
			"of op_time, op_count, user_name, user_namespace, host_name, rs_shard_id and more. op_count is " +
			"a weight, rs_shard_id the partition, user_namespace the tenant.",
		Source: "facebook/CacheLib, BlockChunkReplayGenerator.h",
		Detect: func(head []byte, s request.Select) request.Detection {
			return detectMeta(head, s, blockNames, "block_id op_name io_size", nil)
		},
		Header: func(line []byte) bool { return isMetaHeader(line, blockNames, "block_id op_name io_size") },
		CutOff: cutOff,
	}
}

// The columns of CacheLib's traces and what they are used for; roles means nothing.
var (
	kvcacheNames = map[string]role{
		"optime": timeRole, "key": keyRole, "keysize": roles, "op": opRole, "opcount": weightRole,
		"size": sizeRole, "cachehits": cacheRole, "ttl": ttlRole, "usecase": tenantRole, "subusecase": roles,
	}
	blockNames = map[string]role{
		"optime": timeRole, "blockid": keyRole, "blockidsize": roles, "iosize": sizeRole, "iooffset": roles,
		"username": roles, "usernamespace": tenantRole, "opname": opRole, "opcount": weightRole,
		"hostname": roles, "rsshardid": partitionRole, "reqnumber": roles, "host": roles,
	}
)

// kvcacheOld are the names of a trace without a header.
func kvcacheOld(row [][]byte) []string {
	names := strings.Split("key,op,size,op_count,key_size,ttl", ",")
	switch string(row[1%len(row)]) {
	case "GET", "SET", "DELETE", "GET_LEASE", "SET_LEASE":
	default:
		return nil
	}
	if n := len(row); n != 5 && n != 6 || slices.ContainsFunc(row[2:], func(cell []byte) bool { return !whole(cell) }) {
		return nil
	}
	return names[:len(row)]
}

// isMetaHeader says that a line holds names of the trace and nothing else, those that must be among them.
func isMetaHeader(line []byte, names map[string]role, must string) bool {
	line = trimBOM(line)
	n := 0
	for cell := range bytes.SplitSeq(line, []byte(",")) {
		if _, ok := lookup(names, cell); !ok || n > len(names) {
			return false
		}
		n++
	}
	var cells []string
	for _, name := range namesOf(bytes.Split(line, []byte(","))) {
		cells = append(cells, plain(name))
	}
	for name := range strings.FieldsSeq(must) {
		if !slices.Contains(cells, plain(name)) {
			return false
		}
	}
	return true
}

func detectMeta(head []byte, s request.Select, names map[string]role, must string, old func([][]byte) []string) request.Detection {
	lines := sampled(head)
	if len(lines) == 0 {
		return request.Detection{}
	}
	l := layout{dialect: dialect{delimiter: ','}}
	cells := cutOnce(lines[0].text, l.dialect)
	switch {
	case isMetaHeader(lines[0].text, names, must):
		l.columns, l.header = newColumns(len(cells), namesOf(cells)), bytes.Clone(lines[0].text)
	case old != nil && len(cells) > 0 && old(cells) != nil:
		l.columns = newColumns(len(cells), old(cells))
	default:
		return refuse(lines, "no header with "+strings.Join(strings.Fields(must), ", "))
	}
	d := judge(lines, "other columns than the header", func(line []byte) bool {
		return len(cutOnce(line, l.dialect)) == l.n
	})
	if problem := l.asked(s); problem != "" {
		d.Reason = problem
		return d
	}
	if problem := l.named(names); problem != "" {
		d.Reason = problem
		return d
	}
	if l.header != nil {
		d.Framing = "columns between commas, header"
	}
	if l.at[timeRole] != none {
		l.clock = wholeSeconds(head, l.at[timeRole], l.dialect, s)
	}
	first := l
	l.relay = func(line []byte) (layout, bool) {
		if !isMetaHeader(line, names, must) {
			return layout{}, false
		}
		cells := cutOnce(line, first.dialect)
		next := first
		next.columns, next.header = newColumns(len(cells), namesOf(cells)), bytes.Clone(line)
		if next.asked(s) != "" || next.named(names) != "" {
			return next, false
		}
		if first.at[timeRole] == none {
			next.at[timeRole] = none
		}
		return next, next.covers(first)
	}
	d.Mapping = l.mapping(l.clock)
	d.New = func() request.Decoder { return newDecoder(l) }
	return d
}
