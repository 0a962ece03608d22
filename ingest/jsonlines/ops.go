package jsonlines

import (
	"bytes"
	"strings"

	"keyskew/ingest/request"
)

// operation is what one spelling of a method or operation means.
type operation struct {
	id      uint16
	op      request.Op
	algebra request.Algebra
	note    string // set for those that are not known
	// method says that it may be an HTTP method.
	method bool
}

// methods are the HTTP methods (RFC 9110) that read or write; others, such as WebDAV's, do neither.
var methods = []known{
	{"GET HEAD OPTIONS TRACE", request.Read, 0},
	{"POST PATCH", request.Write, 0},
	{"PUT", request.Write, request.Overwrite},
	{"DELETE", request.Write, request.Delete},
}

// traceOps are the operations of traces: memcached's and Redis's most used, SQL's, HTTP's and the usual
// words of storage traces.
var traceOps = []known{
	{"GET GETS GET_LEASE GAT GATS READ R RD LOAD FETCH LOOKUP QUERY SCAN SELECT LIST HEAD OPTIONS FIND SEARCH " +
		"VIEW DOWNLOAD PEEK MGET HGET HGETALL HMGET HEXISTS HLEN HKEYS HVALS SMEMBERS SISMEMBER SCARD ZRANGE " +
		"ZRANGEBYSCORE ZREVRANGE ZSCORE ZCARD ZCOUNT ZRANK LRANGE LLEN LINDEX EXISTS TTL PTTL TYPE STRLEN " +
		"GETRANGE GETBIT BITCOUNT PFCOUNT XRANGE XLEN XREAD", request.Read, 0},
	{"WRITE W WR STORE CREATE INSERT UPDATE UPSERT POST PATCH UPLOAD MODIFY", request.Write, 0},
	{"SET PUT SET_LEASE SETEX PSETEX REPLACE GETSET", request.Write, request.Overwrite},
	{"SETNX ADD CAS", request.Write, request.Cond},
	{"APPEND PREPEND", request.Write, request.AppendBytes},
	{"INCR DECR INCRBY DECRBY INCREMENT DECREMENT INCRBYFLOAT", request.Write, request.Sum},
	{"HINCRBY HINCRBYFLOAT", request.Write, request.SumField},
	{"ZINCRBY", request.Write, request.SumMember},
	{"HSET HMSET HDEL", request.Write, request.Field},
	{"HSETNX", request.Write, request.FieldCond},
	{"SADD", request.Write, request.Union},
	{"SREM ZADD ZREM", request.Write, request.Member},
	{"LPUSH RPUSH XADD", request.Write, request.Append},
	{"LPOP RPOP SPOP", request.Write, request.Pop},
	{"SETBIT", request.Write, request.Bit},
	{"PFADD", request.Write, request.HLL},
	{"EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST TOUCH", request.Write, request.TTL},
	{"DELETE DEL UNLINK REMOVE EVICT INVALIDATE ERASE PURGE TRIM", request.Write, request.Delete},
}

// known is a list of names that mean the same.
type known struct {
	names   string
	op      request.Op
	algebra request.Algebra
}

// firstWords are what longer names begin with: GetItem, put_object.
var firstWords = []known{
	{"GET READ FETCH LIST SCAN QUERY HEAD SELECT LOOKUP DESCRIBE FIND", request.Read, 0},
	{"PUT SET WRITE UPDATE INSERT CREATE ADD DELETE REMOVE APPEND POST UPSERT", request.Write, 0},
}

const (
	// noOperation names the requests of a trace that has no field for operations, noMethod those of an
	// access log whose method is not known.
	noOperation = "READ"
	noMethod    = "?"

	// maxOperations bounds the names of an input that are told apart, far above what any has.
	maxOperations = 4096
	// maxName is the length to which a name is cut, in bytes.
	maxName = 64
)

// operations numbers the operations of an input.
type operations struct {
	http  bool
	names []string
	by    map[string]operation // as spelled
	ids   map[string]uint16    // by name in upper case
	table map[string]known
	// The latest one, since runs of one operation are the rule.
	last     []byte
	lastSeen operation
}

func newOperations(http bool) *operations {
	o := &operations{
		http: http, names: []string{noOperation},
		by: map[string]operation{}, ids: map[string]uint16{}, table: map[string]known{},
	}
	all := traceOps
	if http {
		o.names[0], all = noMethod, methods
	}
	o.ids[o.names[0]] = 0
	for _, k := range all {
		for name := range strings.FieldsSeq(k.names) {
			o.table[name] = k
		}
	}
	return o
}

// none is what a request without an operation counts as.
func (o *operations) none() operation {
	if o.http {
		return operation{op: request.Other}
	}
	return operation{op: request.Read}
}

// of returns what an operation means.
func (o *operations) of(b []byte) operation {
	if o.last != nil && bytes.Equal(o.last, b) {
		return o.lastSeen
	}
	seen, ok := o.by[string(b)]
	if !ok {
		seen = o.learn(b)
	}
	o.last, o.lastSeen = append(o.last[:0], b...), seen
	return seen
}

func (o *operations) learn(b []byte) operation {
	name := strings.ToUpper(shown(bytes.TrimSpace(b), maxName))
	id, ok := o.ids[name]
	if !ok {
		if len(o.names) >= maxOperations {
			name = noMethod
		}
		if id, ok = o.ids[name]; !ok {
			id = uint16(len(o.names))
			o.names = append(o.names, name)
			o.ids[name] = id
		}
	}
	k, ok := o.table[name]
	if !ok && !o.http {
		k, ok = longer(string(bytes.TrimSpace(b)))
	}
	out := operation{id: id, op: k.op, algebra: k.algebra, method: isMethod(b)}
	if !ok && !o.http {
		out.note = "unknown operation " + name + ": it counts neither as a read nor as a write"
	}
	if len(o.by) < 2*maxOperations {
		o.by[string(b)] = out
	}
	return out
}

// longer looks up the first word of a name of several.
func longer(name string) (known, bool) {
	word, rest := firstWord(name)
	if strings.EqualFold(word, "batch") || strings.EqualFold(word, "multi") || strings.EqualFold(word, "rest") {
		word, rest = firstWord(strings.TrimLeft(rest, "_-. "))
	}
	for _, k := range firstWords {
		for w := range strings.FieldsSeq(k.names) {
			if rest != "" && strings.EqualFold(w, word) {
				return known{op: k.op}, true
			}
		}
	}
	return known{}, false
}

// firstWord is the part in front of the first sign, or of the first capital behind a small letter.
func firstWord(name string) (word, rest string) {
	for i := 1; i < len(name); i++ {
		c, before := name[i], name[i-1]
		if strings.IndexByte("_-. ", c) >= 0 || 'A' <= c && c <= 'Z' && 'a' <= before && before <= 'z' {
			return name[:i], name[i:]
		}
	}
	return name, ""
}

// shown is a text as it may be printed: bytes outside ASCII's visible ones as \xHH, and no more than most
// bytes.
func shown(b []byte, most int) string {
	const more = "..."
	out := make([]byte, 0, most)
	short := 0 // where it can be cut to make room for more
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			out = append(out, '\\', 'x', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		} else {
			out = append(out, c)
		}
		if len(out) > most {
			return string(out[:short]) + more
		}
		if len(out) <= most-len(more) {
			short = len(out)
		}
	}
	return string(out)
}

// labels numbers the names that an input holds; number 0 is "", not known. What comes behind the first
// maxLabels is one label, so that made-up names cannot fill the memory.
type labels struct {
	list   []string
	known  map[string]uint32
	last   []byte
	lastID uint32
}

const (
	maxLabels  = 1 << 16
	otherLabel = "(others)"
)

func newLabels() *labels {
	return &labels{list: []string{""}, known: map[string]uint32{"": 0}}
}

// of returns the number of a name.
func (l *labels) of(name []byte) uint32 {
	if bytes.Equal(l.last, name) {
		return l.lastID
	}
	n, ok := l.known[string(name)]
	if !ok {
		label := string(name)
		if len(l.list) >= maxLabels {
			label = otherLabel
		}
		if n, ok = l.known[label]; !ok {
			n = uint32(len(l.list))
			l.list = append(l.list, label)
			l.known[label] = n
		}
	}
	l.last, l.lastID = append(l.last[:0], name...), n
	return n
}
