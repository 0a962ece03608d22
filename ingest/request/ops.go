package request

import (
	"bytes"
	"strings"
)

// meaning is what an operation does to its key.
type meaning struct {
	op      Op
	algebra Algebra
}

// operations are the operations of traces, in lower case: memcached's and Redis's most used, SQL's, HTTP's
// and the usual words of storage traces.
var operations = byName([]named{
	{"get gets get_lease gat gats read r rd load fetch lookup query scan select list head options find " +
		"search view download peek", Read, 0},
	{"mget hget hgetall hmget hexists hlen hkeys hvals hscan hstrlen smembers sismember smismember scard " +
		"sscan srandmember zrange zrangebyscore zrevrange zrevrangebyscore zscore zmscore zcard zcount zrank " +
		"zrevrank zscan lrange llen lindex exists ttl pttl type strlen getrange getbit bitcount pfcount " +
		"xrange xrevrange xlen xread dump", Read, 0},
	{"write w wr store create insert update upsert post patch upload modify", Write, 0},
	{"set put set_lease setex psetex replace getset", Write, Overwrite},
	{"setnx add cas", Write, Cond},
	{"append prepend", Write, AppendBytes},
	{"incr decr incrby decrby increment decrement incrbyfloat", Write, Sum},
	{"hincrby hincrbyfloat", Write, SumField},
	{"zincrby", Write, SumMember},
	{"hset hmset hdel", Write, Field},
	{"hsetnx", Write, FieldCond},
	{"sadd", Write, Union},
	{"srem zadd zrem", Write, Member},
	{"lpush rpush xadd", Write, Append},
	{"lpop rpop spop", Write, Pop},
	{"setbit", Write, Bit},
	{"pfadd", Write, HLL},
	{"expire pexpire expireat pexpireat persist touch", Write, TTL},
	{"delete del unlink remove evict invalidate erase purge trim", Write, Delete},
})

// firstWords are what the names of longer operations begin with: GetItem, getChunkData.Permanent,
// put_object, BatchGetItem. What such a write does to its value is not known.
var firstWords = byName([]named{
	{"get read fetch list scan query head select lookup describe find", Read, 0},
	{"put set write update insert create add delete remove append post upsert", Write, 0},
})

// named is a list of names that mean the same.
type named struct {
	names   string
	op      Op
	algebra Algebra
}

func byName(list []named) map[string]meaning {
	table := map[string]meaning{}
	for _, n := range list {
		for name := range strings.FieldsSeq(n.names) {
			table[name] = meaning{n.op, n.algebra}
		}
	}
	return table
}

// longestName is the length of the buffer in which names are put into lower case; no known one is longer.
const longestName = 24

// TraceOp says what an operation that a trace names does to its key, whatever the name's case: by the
// whole name, or by the first word of a longer one (GetItem, batch_get_item). ok is false for a name that
// is not known. It does not allocate.
func TraceOp(name []byte) (op Op, a Algebra, ok bool) {
	if m, ok := find(operations, name); ok {
		return m.op, m.algebra, true
	}
	word := firstWord(name)
	for _, prefix := range []string{"batch", "multi", "rest"} {
		if len(word) == len(prefix) && bytes.EqualFold(word, []byte(prefix)) {
			word = firstWord(bytes.TrimLeft(name[len(word):], "_-. "))
			break
		}
	}
	if len(word) == len(name) {
		return Other, 0, false
	}
	m, ok := find(firstWords, word)
	return m.op, m.algebra, ok
}

func find(table map[string]meaning, name []byte) (meaning, bool) {
	if len(name) > longestName {
		return meaning{}, false
	}
	var buf [longestName]byte
	lower := buf[:copy(buf[:], name)]
	for i, c := range lower {
		if c-'A' < 26 {
			lower[i] = c + ('a' - 'A')
		}
	}
	m, ok := table[string(lower)]
	return m, ok
}

// firstWord is the part in front of the first sign, or of the first capital behind a small letter.
func firstWord(name []byte) []byte {
	for i := 1; i < len(name); i++ {
		c, before := name[i], name[i-1]
		if c == '_' || c == '-' || c == '.' || c == ' ' || 'A' <= c && c <= 'Z' && 'a' <= before && before <= 'z' {
			return name[:i]
		}
	}
	return name
}

// methods are the HTTP methods of RFC 9110, of WebDAV (RFC 4918 and its extensions), and those that
// caches take for purging.
var methods = []struct {
	name string
	meaning
}{
	{"GET", meaning{Read, 0}},
	{"HEAD", meaning{Read, 0}},
	{"OPTIONS", meaning{Read, 0}},
	{"TRACE", meaning{Read, 0}},
	{"POST", meaning{Write, 0}},
	{"PUT", meaning{Write, Overwrite}},
	{"PATCH", meaning{Write, 0}},
	{"DELETE", meaning{Write, Delete}},
	{"CONNECT", meaning{}},
	{"PROPFIND", meaning{}},
	{"PROPPATCH", meaning{}},
	{"MKCOL", meaning{}},
	{"COPY", meaning{}},
	{"MOVE", meaning{}},
	{"LOCK", meaning{}},
	{"UNLOCK", meaning{}},
	{"SEARCH", meaning{}},
	{"REPORT", meaning{}},
	{"PURGE", meaning{}},
	{"BAN", meaning{}},
}

// MethodNames returns the names of the HTTP methods that are known, in the order of their numbers.
func MethodNames() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// MethodNumber returns the index of an HTTP method in MethodNames, -1 for one that is not known; case
// does matter in HTTP.
func MethodNumber(name []byte) int {
	switch string(name) {
	case "":
		return -1
	case "GET":
		return 0
	case "HEAD":
		return 1
	case "POST":
		return 4
	}
	for i := range methods {
		if m := &methods[i]; m.name[0] == name[0] && m.name == string(name) {
			return i
		}
	}
	return -1
}

// MethodOp says what the HTTP method of a number does to its resource; those that are not known neither
// read nor write.
func MethodOp(number int) (Op, Algebra) {
	if number < 0 {
		return Other, 0
	}
	return methods[number].op, methods[number].algebra
}
