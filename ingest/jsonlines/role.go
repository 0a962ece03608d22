package jsonlines

import (
	"strings"
	"unicode"
)

// role is what a field of a record is used for.
type role uint8

const (
	roleKey role = iota
	roleTarget
	roleQuery
	roleTime
	roleOp
	roleSize
	roleWeight
	rolePartition
	roleTenant
	roleClient
	roleStatus
	roleLatency
	roleCache
	roleTTL
	roleHost
	roleUser
	roleRetries
	roleKind // tells requests from other log lines
	roles
)

// String names the role as the mapping does.
func (r role) String() string {
	return [roles]string{
		"key", "path", "query", "time", "op", "size", "weight", "partition", "tenant", "client", "status",
		"latency", "cache", "ttl", "host", "user", "retries", "kind",
	}[r]
}

// claim says that a field, if it is there, has a role.
type claim struct {
	role role
	// field is a dot path (exactly so) in a claim of a known format, a plain name (see plainName) in the
	// aliases.
	field string
	// exp is the power of ten from the unit of a number to nanoseconds, for latencies; to milliseconds,
	// for lifetimes.
	exp int
	// line is set when the field holds a request line, "GET /path HTTP/1.1".
	line bool
}

// plainName makes names comparable: lower case, without the signs that part words.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.: ", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// httpAliases are the names that people give the fields of access logs in JSON, the better ones first:
// of the time the one with the finer steps, of the path the one that the client sent ($request_uri) in
// front of what the server made of it ($uri).
func httpAliases() []claim {
	out := named(roleTarget, "requesturi", "httprequesturi", "httprequestrequesturl", "requestrequesturi",
		"requesturl", "httprequestrequesturi", "urloriginal", "httptarget", "httpurl", "propertiesrequesturi")
	for _, name := range []string{"request", "requestline", "httprequest", "httprequestline"} {
		out = append(out, claim{role: roleTarget, field: name, line: true})
	}
	out = append(out, named(roleTarget, "uri", "url", "path", "requestpath", "urlpath", "httppath",
		"requesturlpath", "httprequestpath", "httprequesturl", "csuristem", "resourcepath", "rawpath")...)
	out = append(out, named(roleQuery, "querystring", "query", "args", "requestquery", "urlquery", "csuriquery",
		"rawquerystring")...)
	out = append(out, named(roleTime, "msec", "timestampms", "timems", "timeiso8601", "timelocal", "starttime",
		"@timestamp", "timestamp", "ts", "time", "datetime", "requesttimeepoch", "eventtime", "date", "t", dated)...)
	out = append(out, named(roleOp, "requestmethod", "httprequestmethod", "httpmethod", "httprequesthttpmethod",
		"httprequestrequestmethod", "method", "verb", "csmethod", "propertieshttpmethod")...)
	out = append(out, named(roleSize, "bodybytessent", "bytessent", "responsesize", "responsebytes",
		"responselength", "responsebodysize", "httpresponsebodybytes", "contentlength", "bytes", "scbytes",
		"bytesout", "responsecontentlength", "size", "propertiesresponsebytes", "propertiessentbytes")...)
	out = append(out, named(roleStatus, "status", "statuscode", "responsestatus", "responsecode",
		"responsestatuscode", "httpresponsestatuscode", "httpstatus", "httpstatuscode", "resstatuscode", "scstatus",
		"code", "propertieshttpstatuscode", "propertieshttpstatus")...)
	out = append(out, named(rolePartition, "upstreamaddr", "upstreamhost", "upstream", "backend", "backendaddr",
		"server", "target", "shard", "partition", "node", "propertiesserverrouted")...)
	out = append(out, named(roleClient, "clientip", "remoteaddr", "remoteip", "remotehost", "clientaddr",
		"clientaddress", "sourceip", "sourceaddress", "ip", "cip", "client", "remote", "httprequestremoteip",
		"httprequestclientip", "propertiesclientip")...)
	out = append(out, named(roleCache, "upstreamcachestatus", "cachestatus", "xcache", "cache", "cachehit",
		"cacheresult", "edgeresulttype", "responsestate", "cachestate", "propertiescachestatus")...)
	out = append(out, named(roleHost, "host", "httphost", "requesthost", "vhost", "virtualhost", "authority",
		"servername", "domain", "urldomain", "domainname", "cshost")...)
	out = append(out, named(roleUser, "remoteuser", "user", "username", "userid", "requestuser")...)
	return append(out, latencyAliases("requesttime")...)
}

// dated is a name that nginx gives a duration and AWS a date.
const dated = "requesttime"

// traceAliases are the names of the columns of a trace.
func traceAliases() []claim {
	out := named(roleKey, "key", "k", "objectid", "objid", "id", "item", "path", "uri", "url", "requesturi",
		"csuristem", "cachekey", "partitionkey", "pk", "rowkey", "anonymizedkey", "blockid", "keys")
	out = append(out, named(roleTime, "time", "ts", "timestamp", "@timestamp", "t", "datetime", "date", "optime",
		"eventtime", "timelocal", "timeiso8601", "starttime", "msec")...)
	out = append(out, named(roleOp, "op", "operation", "method", "verb", "requestmethod", "command", "cmd",
		"opname", "type")...)
	out = append(out, named(roleSize, "size", "bytes", "valuesize", "valsize", "objectsize", "bodybytessent",
		"scbytes", "iosize")...)
	out = append(out, named(roleWeight, "count", "opcount", "n", "weight", "hits")...)
	out = append(out, named(rolePartition, "partition", "shard", "slot", "node", "server", "upstreamaddr",
		"upstreamhost", "backend", "target", "region", "tablet", "vnode", "rsshardid")...)
	out = append(out, named(roleTenant, "tenant", "tenantid", "org", "account", "customer", "user", "userid",
		"client", "clientid", "usecase")...)
	out = append(out, named(roleClient, "clientip", "clientaddr", "clientaddress", "remoteaddr", "remoteip",
		"sourceip", "ip")...)
	out = append(out, named(roleStatus, "status", "code", "statuscode", "responsecode", "scstatus")...)
	out = append(out, named(roleCache, "cachestatus", "cachehits", "cachehit", "hit", "xcache")...)
	out = append(out, claim{role: roleTTL, field: "ttl", exp: 3}, claim{role: roleTTL, field: "ttls", exp: 3},
		claim{role: roleTTL, field: "ttlseconds", exp: 3}, claim{role: roleTTL, field: "ttlms"})
	return append(out, latencyAliases()...)
}

func named(r role, names ...string) []claim {
	out := make([]claim, len(names))
	for i, name := range names {
		out[i] = claim{role: r, field: name}
	}
	return out
}

// latencyAliases are names of durations: those that say their unit, those given, which are in seconds,
// and those whose values say it ("12ms").
func latencyAliases(inSeconds ...string) []claim {
	var out []claim
	for _, name := range inSeconds {
		out = append(out, claim{role: roleLatency, field: name, exp: seconds})
	}
	for _, name := range []string{
		"latency", "duration", "responsetime", "elapsed", "elapsedtime", "requestduration", "took", "requesttime",
	} {
		for _, unit := range []struct {
			suffix string
			exp    int
		}{
			{"ns", nanos}, {"nanos", nanos}, {"us", micros}, {"micros", micros}, {"ms", millis},
			{"millis", millis}, {"msec", millis}, {"s", seconds}, {"sec", seconds}, {"secs", seconds},
			{"seconds", seconds}, {"", ownUnit},
		} {
			out = append(out, claim{role: roleLatency, field: name + unit.suffix, exp: unit.exp})
		}
	}
	return append(out, claim{role: roleLatency, field: "httprequestlatency", exp: ownUnit})
}
