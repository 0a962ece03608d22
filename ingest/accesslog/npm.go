package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
)

// The two log formats of Nginx Proxy Manager, for proxied hosts and for others.
const (
	npmProxy = `[$time_local] $upstream_cache_status $upstream_status $status - $request_method $scheme $host ` +
		`"$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] [Sent-to $server] ` +
		`"$http_user_agent" "$http_referer"`
	npmStandard = `[$time_local] $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] ` +
		`[Length $body_bytes_sent] [Gzip $gzip_ratio] "$http_user_agent" "$http_referer"`
)

// npmFormat is the log of Nginx Proxy Manager.
func npmFormat() request.Format {
	return format(spec{
		id:    "npm",
		title: "log of Nginx Proxy Manager",
		text: "Its two formats, mixed with lines in the combined format. The partition is the server that the " +
			"request was sent to.",
		source: "Nginx Proxy Manager: log-proxy.conf",
		plan: func(_ [][]byte, s request.Select) plan {
			t, err := parseNginx(npmProxy)
			if err != nil {
				return plan{reason: err.Error()}
			}
			other, err := parseNginx(npmStandard)
			if err != nil {
				return plan{reason: err.Error()}
			}
			for i := range t.steps {
				if t.steps[i].name == "server" {
					t.steps[i].role = roleUpstream
				}
			}
			p := t.plan(s.Zone)
			p.new = func(wanted []string) parser {
				return &npm{t.parser(s.Zone, wanted), other.parser(s.Zone, wanted), newCLF(s.Zone)}
			}
			p.only = func(line []byte) bool { return len(line) > 0 && line[0] == '[' }
			return p
		},
	})
}

type npm struct {
	proxy, standard *templateParser
	clf             *clf
}

func (p *npm) parse(line []byte, r *record) request.Reason {
	if len(line) == 0 || line[0] != '[' {
		return p.clf.parse(line, r)
	}
	// What stands in front of the dash tells the two apart.
	front := line[:max(bytes.Index(line, []byte(" - ")), 0)]
	if i := bytes.IndexByte(front, ']'); i >= 0 && bytes.Count(front[i:], []byte{' '}) == 1 {
		return p.standard.parse(line, r)
	}
	return p.proxy.parse(line, r)
}
