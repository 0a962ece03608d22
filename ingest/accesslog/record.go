package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
)

// record is what one line says. All parts are parts of the line, or nil where the log does not say; "-"
// counts as not said.
type record struct {
	method []byte
	// target is the request target as logged; path and query are taken from it by resolve, or set by
	// the parser where the log has them apart (then target is nil).
	target, path, query []byte
	// mark is the byte that begins an escape of the log in the target; 0 when it has none.
	mark               byte
	host, client, user []byte
	// bare says that the client has no port and no brackets.
	bare bool
	// upstream is who answered; of a list the last one.
	upstream []byte
	// object is the key of an object store.
	object  []byte
	time    int64
	size    uint64
	latency int64
	retries int
	status  uint16
	cache   request.CacheResult
	// wanted holds the columns that were asked for by name.
	wanted [][]byte
}

// reset empties the record and keeps its storage.
func (r *record) reset() {
	wanted := r.wanted
	clear(wanted)
	*r = record{latency: -1, wanted: wanted}
}

// clientPort takes an address and its port in, as HAProxy writes them: an IPv6 address has no brackets.
func (r *record) clientPort(v []byte) {
	if i := bytes.LastIndexByte(v, ':'); i > 0 && !bytes.HasPrefix(v, []byte("unix:")) {
		v, r.bare = v[:i], true
	}
	r.client = said(v)
}

// request takes the request line in.
func (r *record) request(line []byte) request.Reason {
	method, target, ok := splitRequest(line)
	if !ok {
		return reasonJunk
	}
	r.method, r.target = method, target
	return ""
}

// said returns the value of a field, nil for the marks of an empty one.
func said(b []byte) []byte {
	if len(b) == 0 || len(b) == 1 && b[0] == '-' {
		return nil
	}
	return b
}

// splitRequest takes a request line apart: at the first blank, and at the last one if an HTTP version is
// behind it, for targets may hold blanks. Without a version (HTTP/0.9, or a line that was cut) the
// method must be a known one.
func splitRequest(b []byte) (method, target []byte, ok bool) {
	const version = " HTTP/1.1"
	if n := len(b) - len(version); n > 5 && string(b[:5]) == "GET /" && string(b[n:n+6]) == " HTTP/" {
		return b[:3], b[4:n], true // most are
	}
	if len(b) > 0 && b[0] == 0x1b { // the Python servers colour it
		b = uncolour(b)
	}
	space := bytes.IndexByte(b, ' ')
	if space <= 0 || space > maxMethod {
		return nil, nil, false
	}
	method, target = b[:space], b[space+1:]
	versioned := false
	if n := len(target); n > len(version) && string(target[n-len(version):n-3]) == " HTTP/" {
		target, versioned = target[:n-len(version)], true
	} else if i := bytes.LastIndexByte(target, ' '); i >= 0 && bytes.HasPrefix(target[i+1:], []byte("HTTP/")) {
		target, versioned = target[:i], true
	}
	if len(target) > 0 && target[0] == ' ' {
		target = bytes.TrimLeft(target, " ")
	}
	if len(target) == 0 {
		return nil, nil, false
	}
	if request.MethodNumber(method) < 0 && (!versioned || !isToken(method)) {
		return nil, nil, false
	}
	return method, target, true
}

// maxMethod is the length of the longest method that is believed, in bytes.
const maxMethod = 32

// isToken says whether b could be a method of RFC 9110: letters and a few signs.
func isToken(b []byte) bool {
	for _, c := range b {
		if c|0x20-'a' >= 26 && c-'0' > 9 && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(b) > 0
}

// uncolour takes the terminal colour around a text off.
func uncolour(b []byte) []byte {
	if i := bytes.IndexByte(b, 'm'); i >= 0 {
		b = b[i+1:]
	}
	if i := bytes.IndexByte(b, 0x1b); i >= 0 {
		b = b[:i]
	}
	return b
}

// resolve takes the target apart. Scheme and authority of an absolute target are not part of the path:
// the same resource is asked for with and without.
func (r *record) resolve() {
	t := r.target
	if t == nil {
		if len(r.path) > 0 && r.path[0] != '/' {
			r.path = r.authority(r.path)
		}
		return
	}
	if t[0] != '/' {
		t = r.authority(t)
	}
	r.path = t
	if i := bytes.IndexByte(t, '?'); i >= 0 {
		r.path, r.query = t[:i], t[i:]
	}
	if len(r.path) == 0 {
		r.path = root
	}
}

// root is the path of a target that has none. It is never written to.
var root = []byte{'/'}

// authority takes scheme and authority off an absolute target.
func (r *record) authority(t []byte) []byte {
	i := bytes.Index(t, []byte("://"))
	if i <= 0 || !isToken(t[:i]) {
		return t
	}
	t = t[i+len("://"):]
	end := bytes.IndexAny(t, "/?")
	if end < 0 {
		end = len(t)
	}
	if r.host == nil {
		r.host = said(t[:end])
	}
	if end == len(t) {
		return root
	}
	return t[end:]
}

// webHost takes the port off where it is the scheme's own.
func webHost(b []byte) []byte {
	if p, ok := bytes.CutSuffix(b, []byte(":80")); ok && bytes.IndexByte(p, ':') < 0 {
		return p
	}
	if p, ok := bytes.CutSuffix(b, []byte(":443")); ok && bytes.IndexByte(p, ':') < 0 {
		return p
	}
	return b
}

// served takes a list of upstreams in: "a, b" is a retry on b, "a : b" an internal redirect to b. The
// last one answered.
func (r *record) served(list []byte) {
	if i := bytes.LastIndex(list, []byte(" : ")); i >= 0 {
		r.retries += bytes.Count(list[:i], []byte(", "))
		list = list[i+len(" : "):]
	}
	if i := bytes.LastIndex(list, []byte(", ")); i >= 0 {
		r.retries += 1 + bytes.Count(list[:i], []byte(", "))
		list = list[i+len(", "):]
	}
	if !bytes.HasSuffix(list, []byte("/<NOSRV>")) { // HAProxy
		r.upstream = said(list)
	}
}

// cacheResult reads the words that caches use: nginx (HIT, STALE, BYPASS), CloudFront (RefreshHit,
// OriginShieldHit), Squid (TCP_MEM_HIT, TCP_REFRESH_MODIFIED).
func cacheResult(b []byte) request.CacheResult {
	switch {
	case contains(b, "REFRESH_MODIFIED"):
		return request.CacheMiss
	case contains(b, "HIT"), contains(b, "REFRESH_UNMODIFIED"):
		return request.CacheHit
	case contains(b, "MISS"):
		return request.CacheMiss
	}
	switch {
	case equal(b, "STALE"), equal(b, "UPDATING"), equal(b, "REVALIDATED"):
		return request.CacheHit
	case equal(b, "EXPIRED"), equal(b, "BYPASS"), equal(b, "DYNAMIC"), equal(b, "PASS"):
		return request.CacheMiss
	}
	return request.CacheUnknown
}

// equal compares without regard to case; upper must be upper-case letters and signs.
func equal(b []byte, upper string) bool {
	return len(b) == len(upper) && contains(b, upper)
}

// contains is bytes.Contains without regard to case.
func contains(b []byte, upper string) bool {
	for ; len(b) >= len(upper); b = b[1:] {
		i := 0
		for i < len(upper) && (b[i] == upper[i] || b[i]-('a'-'A') == upper[i] && upper[i] >= 'A') {
			i++
		}
		if i == len(upper) {
			return true
		}
	}
	return false
}
