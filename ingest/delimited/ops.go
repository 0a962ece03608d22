package delimited

import (
	"bytes"
	"maps"
	"strings"

	"keyskew/ingest/request"
)

// operation is what one spelling of an operation means.
type operation struct {
	id      uint16
	op      request.Op
	algebra request.Algebra
	note    string // set for those that are not known
}

// known lists operations by what they do. Memcached's and HTTP's names, Redis's most used, SQL's and the
// usual words of storage traces are in it, and the SCSI operation codes of block traces (28 READ(10) and
// 2a WRITE(10), SCSI Block Commands).
var known = []struct {
	names   string
	op      request.Op
	algebra request.Algebra
}{
	{"get gets get_lease gat gats read r rd load fetch lookup query scan select list head options find " +
		"search view download peek", request.Read, 0},
	{"mget hget hgetall hmget hexists hlen hkeys hvals hscan hstrlen smembers sismember smismember scard " +
		"sscan srandmember zrange zrangebyscore zrevrange zrevrangebyscore zscore zmscore zcard zcount zrank " +
		"zrevrank zscan lrange llen lindex exists ttl pttl type strlen getrange getbit bitcount pfcount " +
		"xrange xrevrange xlen xread dump", request.Read, 0},
	{"28 88 a8 08", request.Read, 0},
	{"write w wr store create insert update upsert post patch upload modify", request.Write, 0},
	{"2a 8a aa 0a", request.Write, request.Overwrite},
	{"set put set_lease setex psetex replace getset", request.Write, request.Overwrite},
	{"setnx add cas", request.Write, request.Cond},
	{"append prepend", request.Write, request.AppendBytes},
	{"incr decr incrby decrby increment decrement incrbyfloat", request.Write, request.Sum},
	{"hincrby hincrbyfloat", request.Write, request.SumField},
	{"zincrby", request.Write, request.SumMember},
	{"hset hmset hdel", request.Write, request.Field},
	{"hsetnx", request.Write, request.FieldCond},
	{"sadd", request.Write, request.Union},
	{"srem zadd zrem", request.Write, request.Member},
	{"lpush rpush xadd", request.Write, request.Append},
	{"lpop rpop spop", request.Write, request.Pop},
	{"setbit", request.Write, request.Bit},
	{"pfadd", request.Write, request.HLL},
	{"expire pexpire expireat pexpireat persist touch", request.Write, request.TTL},
	{"delete del unlink remove evict invalidate erase purge trim", request.Write, request.Delete},
}

// firstWords are what the names of longer operations begin with: GetItem, getChunkData.Permanent,
// put_object, BatchGetItem.
var firstWords = map[string]request.Op{
	"get": request.Read, "read": request.Read, "fetch": request.Read, "list": request.Read,
	"scan": request.Read, "query": request.Read, "head": request.Read, "select": request.Read,
	"lookup": request.Read, "describe": request.Read, "find": request.Read,
	"put": request.Write, "set": request.Write, "write": request.Write, "update": request.Write,
	"insert": request.Write, "create": request.Write, "add": request.Write, "delete": request.Write,
	"remove": request.Write, "append": request.Write, "post": request.Write, "upsert": request.Write,
}

// noOperation is the name of requests in a table without a column of operations.
const noOperation = "READ"

const (
	// maxOperations bounds the names of an input that are told apart, far above what any has.
	maxOperations = 4096
	// maxName is the length to which a name is cut, in bytes.
	maxName = 64

	noteNoOperation = "no operation column: every request counts as a read"
)

// operations numbers the operations of an input.
type operations struct {
	names []string
	by    map[string]operation // as spelled
	ids   map[string]uint16    // by name in upper case
	table map[string]operation
	memo  memo[operation]
}

// newOperations makes the table; extra has the words of a known trace.
func newOperations(extra map[string]operation) *operations {
	o := &operations{
		names: []string{noOperation},
		by:    map[string]operation{},
		ids:   map[string]uint16{noOperation: 0},
		table: map[string]operation{},
	}
	for _, k := range known {
		for name := range strings.FieldsSeq(k.names) {
			o.table[name] = operation{op: k.op, algebra: k.algebra}
		}
	}
	maps.Copy(o.table, extra)
	return o
}

// of returns what an operation means.
func (o *operations) of(cell []byte) operation {
	recent := o.memo.slot(cell)
	if recent.known && string(recent.text) == string(cell) {
		return recent.value
	}
	known, ok := o.by[string(cell)]
	if !ok {
		known = o.learn(cell)
	}
	recent.set(cell, known)
	return known
}

func (o *operations) learn(cell []byte) operation {
	name := strings.ToUpper(printable(bytes.TrimSpace(cell)))
	name = name[:min(len(name), maxName)]
	id, ok := o.ids[name]
	if !ok {
		if len(o.names) >= maxOperations {
			name = "?"
		}
		if id, ok = o.ids[name]; !ok {
			id = uint16(len(o.names))
			o.names = append(o.names, name)
			o.ids[name] = id
		}
	}
	meaning, ok := o.meaning(bytes.TrimSpace(cell))
	meaning.id = id
	if !ok {
		meaning.note = "unknown operation " + name + ": it counts neither as a read nor as a write"
	}
	if len(o.by) < 2*maxOperations {
		o.by[string(cell)] = meaning
	}
	return meaning
}

// meaning looks an operation up: the whole name, or the first word of a longer one.
func (o *operations) meaning(cell []byte) (operation, bool) {
	text := string(cell)
	if m, ok := o.table[strings.ToLower(text)]; ok {
		return m, true
	}
	word := firstWord(text)
	if strings.EqualFold(word, "batch") || strings.EqualFold(word, "multi") || strings.EqualFold(word, "rest") {
		word = firstWord(strings.TrimLeft(text[len(word):], "_-. "))
	}
	op, ok := firstWords[strings.ToLower(word)]
	return operation{op: op}, ok && len(word) < len(text)
}

// firstWord is the part in front of the first sign, or of the first capital behind a small letter.
func firstWord(name string) string {
	for i := 1; i < len(name); i++ {
		c, before := name[i], name[i-1]
		if c == '_' || c == '-' || c == '.' || c == ' ' || 'A' <= c && c <= 'Z' && 'a' <= before && before <= 'z' {
			return name[:i]
		}
	}
	return name
}

// isOperation says that a cell is a word (or code of a block trace) for an operation. Digits alone are
// not taken for one.
func (o *operations) isOperation(cell []byte) bool {
	_, ok := o.meaning(bytes.TrimSpace(cell))
	return ok && !numeric(cell)
}

// readBatch makes the batch of a trace of which every request is a read.
func readBatch(c request.Columns) *request.Batch {
	b := request.NewBatch(batchRows, c)
	b.Names = []string{noOperation}
	return b
}
