package accesslog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"keyskew/ingest/request"
)

// scanner steps through what stands behind the size: quoted and bare words, with or without a name and
// an equals sign in front.
type scanner struct{ rest []byte }

type field struct {
	name, value []byte
	quoted      bool
}

func (s *scanner) next() (field, bool) {
	b := bytes.TrimLeft(s.rest, " ")
	if len(b) == 0 {
		return field{}, false
	}
	var f field
	n := 0
	for n < len(b) && (b[n]|0x20-'a' < 26 || b[n]-'0' <= 9 || b[n] == '_' || b[n] == '-' || b[n] == '.') {
		n++
	}
	if n > 0 && n < len(b) && b[n] == '=' && b[0]-'0' > 9 {
		f.name, b = b[:n], b[n+1:]
	}
	if len(b) > 0 && b[0] == '"' {
		if end := closing(b[1:]); end >= 0 {
			f.value, f.quoted, s.rest = b[1:1+end], true, b[2+end:]
			return f, true
		}
	}
	// A list of upstreams that nobody quoted goes on behind its commas and colons.
	end := 0
	for {
		i := bytes.IndexByte(b[end:], ' ')
		if i < 0 {
			end = len(b)
			break
		}
		end += i
		if !(end > 0 && b[end-1] == ',') && !bytes.HasPrefix(b[end:], []byte(" : ")) {
			break
		}
		end++
		if bytes.HasPrefix(b[end:], []byte(": ")) {
			end += len(": ")
		}
	}
	f.value, s.rest = b[:end], b[end:]
	return f, true
}

// tail is what is known of the words behind the size.
type tail struct {
	named, bare []extra
	// quoted are the first two in quotes: the referer and the agent.
	quoted [2]extra
}

// quotedNames are the names of the referer and the agent as columns.
var quotedNames = [2]string{"referer", "agent"}

// extra is one word: by its name, or by its number among those without.
type extra struct {
	name   string
	role   role
	wanted int
}

// read takes the words of one line in.
func (t *tail) read(f *filler, b []byte, r *record) {
	s := scanner{b}
	quoted, bare := 0, 0
	for w, ok := s.next(); ok; w, ok = s.next() {
		var e *extra
		switch {
		case w.name != nil:
			for i := range t.named {
				if t.named[i].name == string(w.name) {
					e = &t.named[i]
					break
				}
			}
		case w.quoted && quoted < 2:
			e = &t.quoted[quoted]
			quoted++
		default:
			if bare < len(t.bare) {
				e = &t.bare[bare]
			}
			bare++
		}
		if e == nil {
			continue
		}
		if e.role != unused {
			f.fill(r, e.role, w.value)
		}
		if e.wanted >= 0 {
			r.wanted[e.wanted] = w.value
		}
	}
}

// tailNames are names under which people log what is used here.
var tailNames = map[string]role{
	"rt": roleSeconds, "request_time": roleSeconds, "reqtime": roleSeconds, "duration": roleSeconds,
	"rt_ms": roleMilliseconds, "request_time_ms": roleMilliseconds, "duration_ms": roleMilliseconds,
	"rt_us": roleMicroseconds, "request_time_us": roleMicroseconds, "duration_us": roleMicroseconds,
	"upstream": roleUpstream, "upstream_addr": roleUpstream, "backend": roleUpstream, "ua": roleUpstream, "uaddr": roleUpstream,
	"cache": roleCache, "cache_status": roleCache, "upstream_cache_status": roleCache, "cs": roleCache, "ucs": roleCache,
	"host": roleHost, "vhost": roleHost, "server_name": roleHost, "http_host": roleHost,
}

// looks says for a role whether a value can play it; roles that are not in it take any. Of a word
// without a name more is asked: seconds have three decimals, as nginx writes them.
func (r role) looks(v []byte, named bool) bool {
	switch r {
	case roleSeconds, roleMilliseconds, roleMicroseconds:
		if named {
			return duration(v, time.Second) >= 0
		}
		whole, rest, pointed := bytes.Cut(v, []byte{'.'})
		return pointed && allDigits(whole) && len(rest) == 3 && allDigits(rest)
	case roleUpstream:
		var r record
		r.served(v)
		v = r.upstream
		host, ok := bytes.CutPrefix(v, []byte("unix:"))
		return ok && len(host) > 0 || hasPort(v) && !bytes.ContainsAny(v, " /\"")
	case roleCache:
		return cacheResult(v) != request.CacheUnknown
	}
	return true
}

// learn looks at the tails of a sample: which words there are, and what they could be. A word gets a
// role when every line that fills it agrees.
func learn(tails [][]byte) *tail {
	var t tail
	good, bad := map[string]map[role]bool{}, map[string]map[role]bool{}
	note := func(name string, roles []role, v []byte, named bool) {
		if good[name] == nil {
			good[name], bad[name] = map[role]bool{}, map[role]bool{}
		}
		if said(v) == nil {
			return
		}
		for _, r := range roles {
			if r.looks(v, named) {
				good[name][r] = true
			} else {
				bad[name][r] = true
			}
		}
	}
	for _, b := range tails {
		s := scanner{b}
		quoted, bare := 0, 0
		for w, ok := s.next(); ok; w, ok = s.next() {
			name := string(w.name)
			switch {
			case w.name != nil:
				if !slices.ContainsFunc(t.named, func(e extra) bool { return e.name == name }) {
					t.named = append(t.named, extra{name: name})
				}
				note(name, []role{tailNames[strings.ToLower(name)]}, w.value, true)
				continue
			case w.quoted && quoted < 2:
				quoted++
				continue
			}
			bare++
			name = fmt.Sprintf("extra%d", bare)
			if bare > len(t.bare) {
				t.bare = append(t.bare, extra{name: name})
			}
			note(name, []role{roleSeconds, roleUpstream, roleCache}, w.value, false)
		}
	}
	taken := map[role]bool{unused: true}
	for _, list := range [][]extra{t.named, t.bare} {
		for i := range list {
			for _, r := range []role{roleSeconds, roleMilliseconds, roleMicroseconds, roleUpstream, roleCache, roleHost} {
				if !taken[r] && good[list[i].name][r] && !bad[list[i].name][r] {
					list[i].role = r
					taken[r] = true
					break
				}
			}
		}
	}
	return &t
}

// bind returns a copy that fills the columns that were asked for.
func (t *tail) bind(wanted []string) *tail {
	c := &tail{named: slices.Clone(t.named), bare: slices.Clone(t.bare)}
	for i, name := range quotedNames {
		c.quoted[i].name = name
	}
	for _, list := range [][]extra{c.named, c.bare, c.quoted[:]} {
		for i := range list {
			list[i].wanted = slices.Index(wanted, list[i].name)
		}
	}
	return c
}

// table lists the words as columns.
func (t *tail) table() table {
	var out table
	for _, e := range slices.Concat(t.named, t.bare) {
		out.names = append(out.names, e.name)
		out.roles = append(out.roles, e.role)
	}
	return out
}
