package accesslog

import (
	"bytes"
	"slices"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

// class is which of the relatives of the common log format a line is of. The more particular come
// first: they win where a log has as many lines of two.
type class uint8

const (
	classTraefik class = iota
	classVhost
	classExtended
	classCombined
	classWerkzeug
	classCommon
	classNone
)

// classOf looks closely at one line; r and what is behind the size are those of the parser.
func classOf(p *clf, line []byte, r *record) class {
	r.reset()
	if reason := p.parse(line, r); reason != "" && reason != reasonJunk {
		return classNone
	}
	return classify(line, r, p.rest)
}

func classify(line []byte, r *record, tail []byte) class {
	var fields []field
	s := scanner{tail}
	for f, ok := s.next(); ok; f, ok = s.next() {
		fields = append(fields, f)
	}
	isQuoted := func(f field) bool { return f.quoted && f.name == nil }
	n := len(fields)
	switch {
	case n == 6 && isQuoted(fields[0]) && isQuoted(fields[1]) && allDigits(fields[2].value) && isQuoted(fields[3]) &&
		isQuoted(fields[4]) && bytes.HasSuffix(fields[5].value, []byte("ms")):
		return classTraefik
	case n == 2 && isQuoted(fields[0]) && isQuoted(fields[1]):
		if r.host != nil && hasPort(r.host) {
			return classVhost
		}
		return classCombined
	case n > 0:
		return classExtended
	}
	i := bytes.IndexByte(line, '[')
	if timestamp.Shaped(line[i+1:], "00/Mmm/0000 00:00:00]") {
		return classWerkzeug
	}
	return classCommon
}

// clfPlan makes the plan of one class. All classes are read by the same parser, so that a log may mix
// them: the class that most lines are of counts them all, the others their own.
func clfPlan(c class, lines [][]byte, s request.Select) plan {
	var counts [classNone + 1]int
	var tails [][]byte
	host, user := false, false
	look, r := newCLF(nil), record{}
	for _, line := range lines {
		found := classOf(look, line, &r)
		counts[found]++
		if found != classNone {
			tails = append(tails, look.rest)
			host = host || r.host != nil
			user = user || r.user != nil
		}
	}
	p := plan{
		columns: request.TimeColumn | request.ClientColumn | request.StatusColumn,
		parts:   []string{"client"},
		mapping: []request.Mapped{
			{Field: "time", From: "the brackets"}, {Field: "op", From: "method"}, {Field: "size", From: "bytes sent"},
			{Field: "client", From: "host"}, {Field: "status", From: "status"},
		},
	}
	if most := slices.Max(counts[:classNone]); counts[c] != most || slices.Index(counts[:classNone], most) != int(c) {
		p.only = func(line []byte) bool { return classOf(look, line, &r) == c }
	}
	var t *tail
	switch c {
	case classTraefik:
		p.columns |= request.LatencyColumn | request.PartitionColumn
		p.parts = append(p.parts, "upstream")
		p.mapping = append(p.mapping, request.Mapped{Field: "latency", From: "duration"},
			request.Mapped{Field: "partition", From: "server URL"})
	case classExtended:
		t = learn(tails)
		words := t.table()
		host = host || words.has(roleHost)
		words.describe(&p)
	}
	if c == classExtended || c == classCombined || c == classVhost {
		p.names = append(p.names, quotedNames[:]...)
	}
	if host && !slices.Contains(p.parts, "host") {
		p.parts = append(p.parts, "host")
	}
	if user {
		p.parts = append(p.parts, "user")
	}
	p.new = func(wanted []string) parser {
		parser := newCLF(s.Zone)
		parser.traefik = c == classTraefik
		switch {
		case t != nil:
			parser.tail = t.bind(wanted)
		case len(wanted) > 0:
			parser.tail = (&tail{}).bind(wanted)
		}
		return parser
	}
	return p
}

func clfSpec(c class, id, title, text, source string) request.Format {
	return format(spec{
		id: id, title: title, text: text, source: source,
		plan: func(lines [][]byte, s request.Select) plan { return clfPlan(c, lines, s) },
	})
}

func clfFormat() request.Format {
	return clfSpec(classCommon, "clf", "access log in the common log format",
		"Client, identity, user, time, request, status and bytes.",
		"NCSA httpd; Apache HTTP Server: mod_log_config, LogFormat common")
}

func combinedFormat() request.Format {
	return clfSpec(classCombined, "combined", "access log in the combined format of nginx and Apache",
		"The common log format with the referer and the agent behind it. Escapes of both servers are undone.",
		"nginx: ngx_http_log_module; Apache HTTP Server: mod_log_config, LogFormat combined")
}

func vhostFormat() request.Format {
	return clfSpec(classVhost, "vhost_combined", "access log in Apache's vhost_combined format",
		"The combined format with the virtual host and its port in front.",
		"Apache HTTP Server: split-logfile; Debian's apache2.conf, LogFormat vhost_combined")
}

func extendedFormat() request.Format {
	return clfSpec(classExtended, "combined+", "access log in the combined format with more fields",
		"The combined format with further words, bare, quoted or as name=value. Those that are named as a "+
			"request time, an upstream or a cache status, and bare ones that all look like one, are used; "+
			"any can be chosen as the key by its name, or as extra1, extra2 and so on.",
		"nginx: ngx_http_log_module, log_format; lighttpd: accesslog.format")
}

func traefikFormat() request.Format {
	return clfSpec(classTraefik, "traefik", "access log of Traefik in its common format",
		"The combined format with the number of the request, the router, the server and the duration in "+
			"milliseconds behind it. The partition is the server.",
		"Traefik: Access logs, format common")
}

func werkzeugFormat() request.Format {
	return clfSpec(classWerkzeug, "werkzeug", "access log of a Python development server",
		"What Werkzeug (Flask) and http.server print: times without a zone.",
		"Python: http.server, BaseHTTPRequestHandler.log_request")
}

// untimedFormat is for lines that leave the time to what carries them.
func untimedFormat() request.Format {
	return format(spec{
		id:    "clf_untimed",
		title: "access log in the common log format without times",
		text: "The common log format without its time, as some servers write it into a syslog. The time of the " +
			"syslog has no year and is not used.",
		source: "Apache Tomcat: access log valve, behind syslog",
		plan: func(lines [][]byte, _ request.Select) plan {
			p := clfPlan(classCommon, nil, request.Select{})
			p.columns &^= request.TimeColumn
			p.mapping = p.mapping[1:]
			var tails [][]byte
			look, r := untimed{}, record{}
			for _, line := range lines {
				r.reset()
				if reason := look.parse(line, &r); reason == "" {
					tails = append(tails, look.rest)
				}
			}
			t := learn(tails)
			t.table().describe(&p)
			p.only = nil
			p.new = func(wanted []string) parser { return &untimed{clf{tail: t.bind(wanted)}} }
			return p
		},
	})
}
