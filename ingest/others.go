package ingest

import (
	"bytes"
	"iter"

	"keyskew/ingest/accesslog"
	"keyskew/ingest/timestamp"
)

// kind is a sort of text that is often at hand in an incident and holds no requests.
type kind struct {
	// mark is how one of its first lines begins, or the very first one.
	mark  string
	first bool
	// is tells it where how a line begins does not.
	is   func(line []byte) bool
	what string
}

var kinds = []kind{
	{mark: "# Scanning the entire keyspace", what: "a summary of redis-cli (--hotkeys, --bigkeys, --memkeys): keys, but no requests"},
	{mark: "HOTKEYS GET", first: true, what: "an answer to HOTKEYS GET: a list of hot keys, but no requests"},
	{mark: `1) "tracking-active"`, what: "an answer to HOTKEYS GET: a list of hot keys, but no requests"},
	{mark: `1)  1) "tracking-active"`, what: "an answer to HOTKEYS GET: a list of hot keys, but no requests"},
	{mark: "WRITES Sampler:", what: "what nodetool toppartitions prints: a list of hot partitions, but no requests"},
	{mark: "READS Sampler:", what: "what nodetool toppartitions prints: a list of hot partitions, but no requests"},
	{mark: "Lines Processed", what: "a report of redis-faina: sums, but no requests"},
	{mark: "redis_version:", what: "a status snapshot (INFO): counters, but no requests"},
	{mark: "cmdstat_", what: "a status snapshot (INFO commandstats): counters, but no requests"},
	{mark: "------- data ------", what: "what redis-cli --stat prints: counters, but no requests"},
	{mark: "STAT pid ", what: "a status snapshot of memcached (stats): counters, but no requests"},
	{mark: "Active connections:", what: "a status page of nginx (stub_status): counters, but no requests"},
	{mark: "Total Accesses:", what: "a status page of Apache (server-status): counters, but no requests"},
	{mark: "# pxname,", first: true, what: "statistics of HAProxy: counters, but no requests"},
	{mark: "# HELP ", first: true, what: "metrics in the format of Prometheus: counters, but no requests"},
	{mark: "# TYPE ", first: true, what: "metrics in the format of Prometheus: counters, but no requests"},
	{is: isClusterNode, what: "the answer to CLUSTER NODES, which is no capture but goes with one: --topology FILE"},
	{mark: "1) ", first: true, what: "an answer that redis-cli printed (SLOWLOG GET, CLUSTER SLOTS), not a capture"},
	{mark: "====== ", first: true, what: "a summary of a benchmark: rates, but no requests"},
	{mark: `"test","rps"`, first: true, what: "a summary of redis-benchmark: rates, but no requests"},
	{mark: "ALL STATS", what: "a summary of memtier_benchmark: rates, but no requests"},
	{mark: "This is ApacheBench", what: "a summary of a benchmark (ab): rates, but no requests"},
	{mark: "Requests/sec:", what: "a summary of a benchmark (wrk, hey): rates, but no requests"},
	{mark: "[OVERALL],", what: "a summary of YCSB: rates, but no requests"},
	{mark: "tls 2.0 ", first: true, what: "a log of an AWS Network Load Balancer: connections, but no requests"},
	{is: isConnectionLog, what: "a connection log of an AWS load balancer: connections, but no requests; its access log has them"},
	{mark: "version account-id ", first: true, what: "a VPC flow log: connections, but no requests"},
	{mark: "#path\tconn", what: "a connection log of Zeek: connections, but no requests; its http.log has them"},
	{is: isPacket, what: "what tcpdump prints: packets, but no requests"},
	{mark: "<< BeReq", what: "what varnishlog prints: one line a tag; varnishncsa writes one line a request"},
	{mark: "<< Request", what: "what varnishlog prints: one line a tag; varnishncsa writes one line a request"},
	{is: isRESP, first: true, what: "a stream of Redis commands, such as an append-only file: writes alone, and mostly without times"},
	{is: isRedisLog, what: "the log that a Redis server keeps of itself: no requests"},
	{is: accesslog.IsErrorLog, what: "an error log of a web server; its access log has the requests"},
	{is: isLogfmt, what: "lines of name=value (logfmt): turn them into JSON lines or a table first"},
	{mark: "# Time: ", first: true, what: "a log of slow queries: some requests, chosen by how long they took"},
	{mark: "<!DOCTYPE", first: true, what: "a web page: perhaps a log-in page was saved instead of the file"},
	{mark: "<!doctype", first: true, what: "a web page: perhaps a log-in page was saved instead of the file"},
	{mark: "<html", first: true, what: "a web page: perhaps a log-in page was saved instead of the file"},
	{mark: "<?xml", first: true, what: "an XML document"},
}

// kindLines is how many lines are searched for a mark.
const kindLines = 64

// kindOf says what a text is, as far as some line in it gives it away; "" if none does. It is certain where
// the first line must, so that what fits all the same would be a misreading.
func kindOf(data []byte) (what string, certain bool) {
	first := true
	for line := range someLines(data) {
		for _, k := range kinds {
			switch {
			case k.first && !first:
			case k.is != nil && k.is(line), k.is == nil && bytes.HasPrefix(bytes.TrimLeft(line, " \t*"), []byte(k.mark)):
				return k.what, k.first
			}
		}
		first = false
	}
	return "", false
}

// someLines are the first lines that are not blank, without their ends.
func someLines(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		n := 0
		for line := range bytes.Lines(data) {
			if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if n++; n > kindLines || !yield(line) {
				return
			}
		}
	}
}

// isClusterNode: 40 hexadecimal digits, an address, flags.
func isClusterNode(line []byte) bool {
	id, rest, _ := bytes.Cut(line, []byte{' '})
	if len(id) != 40 || len(bytes.Trim(id, "0123456789abcdef")) > 0 {
		return false
	}
	_, rest, _ = bytes.Cut(rest, []byte{' '})
	flags, _, _ := bytes.Cut(rest, []byte{' '})
	return bytes.Contains(flags, []byte("master")) || bytes.Contains(flags, []byte("slave")) || bytes.Contains(flags, []byte("noaddr"))
}

// isConnectionLog: a time, an address and two ports.
func isConnectionLog(line []byte) bool {
	f := bytes.Fields(line[:min(len(line), 256)])
	return timestamp.Shaped(line, "0000-00-00T00:00:00.000000Z ") && len(f) > 4 && isNumber(f[2]) && isNumber(f[3])
}

// isPacket: "12:00:00.000000 IP 10.0.0.1.5000 > 10.0.0.2.6379: Flags [P.], ...".
func isPacket(line []byte) bool {
	return timestamp.Shaped(line, "00:00:00.000000 IP") && bytes.Contains(line, []byte(" > "))
}

// isRESP: the number of arguments, or the time of an append-only file, on a line of its own.
func isRESP(line []byte) bool {
	if at, ok := bytes.CutPrefix(line, []byte("#TS:")); ok {
		return isNumber(at)
	}
	return len(line) > 1 && line[0] == '*' && isNumber(line[1:])
}

// isRedisLog: "1:M 25 Apr 2024 05:32:35.018 * Ready to accept connections".
func isRedisLog(line []byte) bool {
	pid, rest, ok := bytes.Cut(line, []byte{':'})
	return ok && isNumber(pid) && len(rest) > 0 && bytes.IndexByte([]byte("MSCX"), rest[0]) >= 0 &&
		timestamp.Shaped(rest[1:], " 00 Mmm 0000 00:00:00.000 ")
}

// isLogfmt: three or more words, most of them with a name and an equals sign in front.
func isLogfmt(line []byte) bool {
	words, named := 0, 0
	for word := range bytes.FieldsSeq(line) {
		words++
		if i := bytes.IndexByte(word, '='); i > 0 && !bytes.ContainsAny(word[:i], `"[]{}()/?`) {
			named++
		}
	}
	return named >= 3 && 3*named >= 2*words
}

func isNumber(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0 }

// common are the formats that an input is held against where it is like none: those that its first line
// has something of come first.
func common(data []byte) []string {
	ids := []string{monitorID, "combined", "csv"}
	for line := range someLines(data) {
		switch {
		case line[0] == '{' || line[0] == '[' && len(line) < 3:
			return append([]string{"jsonl"}, ids...)
		case bytes.Contains(line, []byte(" HTTP/")):
			return []string{"combined", monitorID, "csv"}
		}
		break
	}
	return ids
}

// foreigners are files that are often at hand and can be named by their first bytes.
var foreigners = []struct {
	at    int
	magic string
	what  string
}{
	{0, "PAR1", "a Parquet file"},
	{0, "PARE", "an encrypted Parquet file"},
	{0, "ARROW1", "an Arrow file"},
	{0, "\xff\xff\xff\xff", "an Arrow stream"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{0, "\x1f\x9d", "a compress (.Z) archive; unpack it first (uncompress -c FILE | keyskew)"},
	{0, "PK\x05\x06", "an empty zip archive"},
	{0, "PK\x07\x08", "a part of a zip archive of several parts"},
	{257, "ustar", "a tar archive; name the file in it (tar -xOf FILE NAME | keyskew)"},
	{0, "REDIS0", "a Redis RDB snapshot (it holds keys, not requests)"},
	{0, "\xd4\xc3\xb2\xa1", "a packet capture"},
	{0, "\x0a\x0d\x0d\x0a", "a packet capture"},
}

func foreign(data []byte) string {
	for _, f := range foreigners {
		if len(data) >= f.at && bytes.HasPrefix(data[f.at:], []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// refusals are what redis-cli prints instead of a capture, by the word that gives it away, and the cure.
var refusals = []struct{ word, what string }{
	{"NOAUTH", "the server wanted a password: REDISCLI_AUTH=… redis-cli monitor"},
	{"WRONGPASS", "the server did not accept the password"},
	{"NOPERM", "the user may not run MONITOR: ACL SETUSER NAME +monitor, or another --user"},
	{"Could not connect", "redis-cli found no server there: check its -h and -p"},
	{"Server closed the connection", "the server hung up: it may want TLS (redis-cli --tls), or has run out of connections"},
	{"unknown command", "the server does not know MONITOR: it is renamed, or switched off by the provider"},
}

// refusal names the cure if the first line is such a message; "" if it is not.
func refusal(data []byte) string {
	line, _, _ := bytes.Cut(data[:min(len(data), 256)], []byte{'\n'})
	for _, r := range refusals {
		if bytes.Contains(line, []byte(r.word)) {
			return "no capture but a message of redis-cli: " + r.what
		}
	}
	return ""
}
