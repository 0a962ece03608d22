package rediscmd

import "keyskew/ingest/request"

// rule names the code that resolves what the table cannot express: keys behind options, and options
// that change what a command does. The syntax is that of the Redis and Valkey command references.
type rule uint8

const (
	ruleNone rule = iota
	ruleSet
	ruleMSetEx
	ruleGetEx
	ruleHGetEx
	ruleIncrEx
	ruleZAdd
	ruleBitField
	ruleSeconds
	ruleMillis
	ruleRestore
	ruleHello
	ruleMigrate
	ruleXRead
	ruleXReadGroup
	ruleSort
	ruleSortRO
	ruleGeoRadius
	ruleGeoRadiusByMember
)

// apply amends what the key specifications gave, or finds the keys itself.
func (r rule) apply(argv [][]byte, call *Call, dst []Touch) []Touch {
	switch r {
	case ruleSet: // SET key value [option ...]
		refineSet(argv, 3, call, dst)
	case ruleMSetEx: // MSETEX numkeys key value [key value ...] [option ...]
		refineSet(argv, 2+2*keyCount(argv, 1), call, dst)
	case ruleGetEx: // GETEX key [option ...]
		if len(argv) <= 2 {
			onlyRead(dst)
		}
		call.TTLMillis = readOptions(argv, 2).ttl
	case ruleHGetEx: // HGETEX key [option ...] FIELDS n field ...
		if len(argv) > 2 && is(argv[2], "FIELDS") {
			onlyRead(dst)
		}
	case ruleIncrEx: // INCREX key [option ...]
		call.TTLMillis = readOptions(argv, 2).ttl
	case ruleZAdd:
		refineZAdd(argv, dst)
	case ruleBitField:
		refineBitField(argv, dst)
	case ruleSeconds: // SETEX key seconds value, EXPIRE key seconds
		call.TTLMillis = lifetime(argv, 2, 1000)
	case ruleMillis: // PSETEX key milliseconds value, PEXPIRE key milliseconds
		call.TTLMillis = lifetime(argv, 2, 1)
	case ruleRestore: // RESTORE key ttl value [REPLACE] [ABSTTL] ...
		if find(argv, 4, "ABSTTL") < 0 {
			call.TTLMillis = lifetime(argv, 2, 1)
		}
	case ruleHello: // HELLO [version [AUTH user password] [SETNAME name]]
		call.Secret = find(argv, 1, "AUTH") > 0
	case ruleMigrate:
		return migrate(argv, call, dst)
	case ruleXRead:
		return xread(argv, Touch{Op: request.Read}, dst)
	case ruleXReadGroup:
		return xread(argv, Touch{Op: request.Write, Algebra: request.Consume}, dst)
	case ruleSort:
		return sortKeys(argv, true, dst)
	case ruleSortRO:
		return sortKeys(argv, false, dst)
	case ruleGeoRadius: // GEORADIUS key longitude latitude radius unit [option ...]
		return geoRadius(argv, 6, dst)
	case ruleGeoRadiusByMember: // GEORADIUSBYMEMBER key member radius unit [option ...]
		return geoRadius(argv, 5, dst)
	}
	return dst
}

// find returns the first position from start on that holds the keyword, or -1.
func find(argv [][]byte, start int, keyword string) int {
	for i := start; i < len(argv); i++ {
		if is(argv[i], keyword) {
			return i
		}
	}
	return -1
}

func lifetime(argv [][]byte, at int, perUnit int64) int64 {
	if at >= len(argv) {
		return -1
	}
	return millis(argv[at], perUnit)
}

func onlyRead(dst []Touch) {
	for i := range dst {
		dst[i].Op, dst[i].Algebra = request.Read, 0
	}
}

// options is what the options shared by SET, MSETEX, GETEX and INCREX say.
type options struct {
	cond bool
	ttl  int64
}

func readOptions(argv [][]byte, start int) options {
	o := options{ttl: -1}
	for i := start; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case is(arg, "EX"):
			i++
			o.ttl = lifetime(argv, i, 1000)
		case is(arg, "PX"):
			i++
			o.ttl = lifetime(argv, i, 1)
		case isAny(arg, "EXAT", "PXAT", "BYINT", "BYFLOAT", "LBOUND", "UBOUND"):
			i++
		case isAny(arg, "IFEQ", "IFNE", "IFDEQ", "IFDNE"):
			i++
			o.cond = true
		case isAny(arg, "NX", "XX", "GET"):
			o.cond = true
		}
	}
	return o
}

// refineSet tells a conditional write, which is a lock or a compare-and-set, from an overwrite.
func refineSet(argv [][]byte, start int, call *Call, dst []Touch) {
	o := readOptions(argv, start)
	call.TTLMillis = o.ttl
	if !o.cond {
		return
	}
	for i := range dst {
		dst[i].Algebra = request.Cond
	}
}

// refineZAdd reads ZADD key [NX|XX] [GT|LT] [CH] [INCR] score member ...: with INCR it is ZINCRBY,
// if a score and a member follow. The other options hold for each member by itself, so they change nothing.
func refineZAdd(argv [][]byte, dst []Touch) {
	for i := 2; i < len(argv) && isAny(argv[i], "NX", "XX", "GT", "LT", "CH", "INCR"); i++ {
		if is(argv[i], "INCR") && i+2 < len(argv) && len(dst) > 0 {
			dst[0].Algebra = request.SumMember
		}
	}
}

// refineBitField makes BITFIELD key [GET type offset] ... a read when nothing but GET is asked.
func refineBitField(argv [][]byte, dst []Touch) {
	for i := 2; i < len(argv); i += 3 {
		if !is(argv[i], "GET") {
			return
		}
	}
	onlyRead(dst)
}

// migrate reads MIGRATE host port key|"" db timeout [COPY] [REPLACE] [AUTH password]
// [AUTH2 user password] [KEYS key ...]. A server refuses KEYS together with a key in the third place.
//
// MIGRATE deletes the keys here, unless COPY keeps them. It is an act of resharding, not of the
// application: it says nothing about how the values are used, and it works for any slot. So the tag is
// Delete, which lets the key's other commands decide, and not Multikey, which would forbid to split
// every key that a resharding once moved.
func migrate(argv [][]byte, call *Call, dst []Touch) []Touch {
	if len(argv) <= 3 {
		return dst
	}
	touch := Touch{Op: request.Write, Algebra: request.Delete}
	first, last := 3, 3
walk:
	for i := 6; i < len(argv); i++ {
		switch {
		case is(argv[i], "COPY"):
			touch = Touch{Op: request.Read}
		case is(argv[i], "AUTH"):
			call.Secret = true
			i++
		case is(argv[i], "AUTH2"):
			call.Secret = true
			i += 2
		case is(argv[i], "KEYS"):
			first, last = i+1, len(argv)-1
			if len(argv[3]) > 0 {
				last = i
			}
			break walk
		}
	}
	return appendRange(dst, touch, first, last)
}

// xread reads XREAD and XREADGROUP: options, then STREAMS key ... id ..., as many ids as keys. The
// options are walked one by one because a group or a key may itself be called "streams". CLAIM came
// with Redis 8.4. Without BLOCK the command does not wait.
func xread(argv [][]byte, touch Touch, dst []Touch) []Touch {
	for i := 1; i < len(argv); i++ {
		switch {
		case is(argv[i], "BLOCK"):
			touch.Op = request.Poll
			i++
		case isAny(argv[i], "COUNT", "CLAIM"):
			i++
		case is(argv[i], "GROUP"):
			i += 2
		case is(argv[i], "NOACK"):
		case is(argv[i], "STREAMS"):
			rest := len(argv) - i - 1
			if rest%2 != 0 {
				return dst
			}
			return appendRange(dst, touch, i+1, i+rest/2)
		default:
			return dst
		}
	}
	return dst
}

// sortKeys reads SORT key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC|DESC] [ALPHA]
// [STORE destination]; the last STORE wins. The keys that BY and GET name depend on the data: no line
// shows them.
func sortKeys(argv [][]byte, stores bool, dst []Touch) []Touch {
	to := -1
	for i := 2; i < len(argv); i++ {
		switch {
		case is(argv[i], "LIMIT"):
			i += 2
		case isAny(argv[i], "BY", "GET"):
			i++
		case stores && is(argv[i], "STORE"):
			i++
			to = i
		}
	}
	return appendStore(dst, argv, to)
}

// geoRadius reads the options from start on; the last STORE or STOREDIST wins.
func geoRadius(argv [][]byte, start int, dst []Touch) []Touch {
	to := -1
	for i := start; i < len(argv); i++ {
		if isAny(argv[i], "STORE", "STOREDIST") {
			i++
			to = i
		}
	}
	return appendStore(dst, argv, to)
}

// appendStore adds the key at 1, which is read, and the destination, which is written, if there is one.
func appendStore(dst []Touch, argv [][]byte, to int) []Touch {
	if len(argv) > 1 {
		dst = append(dst, Touch{Arg: 1, Op: request.Read})
	}
	if to > 1 && to < len(argv) {
		dst = append(dst, Touch{Arg: to, Op: request.Write, Algebra: request.Store})
	}
	return dst
}

func appendRange(dst []Touch, touch Touch, first, last int) []Touch {
	for i := first; i <= last; i++ {
		touch.Arg = i
		dst = append(dst, touch)
	}
	return dst
}
