package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

var (
	envoyNames = []string{
		"start_time", "request", "response_code", "response_flags", "bytes_received", "bytes_sent", "duration",
		"upstream_service_time", "x_forwarded_for", "user_agent", "request_id", "authority", "upstream_host",
	}
	istioNames = []string{
		"start_time", "request", "response_code", "response_flags", "response_code_details",
		"connection_termination_details", "upstream_transport_failure_reason", "bytes_received", "bytes_sent",
		"duration", "upstream_service_time", "x_forwarded_for", "user_agent", "request_id", "authority",
		"upstream_host", "upstream_cluster", "upstream_local_address", "downstream_local_address",
		"downstream_remote_address", "requested_server_name", "route_name",
	}
	envoyCandidates = []candidate{
		{name: "start_time", role: roleTime},
		{name: "request", role: roleRequest},
		{name: "response_code", role: roleStatus},
		{name: "bytes_sent", role: roleSize},
		{name: "duration", role: roleMilliseconds},
		{name: "x_forwarded_for", role: roleClients},
		{name: "downstream_remote_address", role: roleClient},
		{name: "authority", role: roleHost},
		{name: "upstream_host", role: roleUpstream},
	}
)

// envoyFormat is the default text log of Envoy and of Istio.
func envoyFormat() request.Format {
	return format(spec{
		id:    "envoy",
		title: "text log of Envoy or Istio",
		text: "The default access log format of Envoy, and Istio's with its three more fields behind the flags. " +
			"The partition is the upstream host, the latency the whole duration.",
		source: "Envoy: Access logging, default format string; Istio: Envoy Access Logs",
		plan: func([][]byte, request.Select) plan {
			var p plan
			newTable(istioNames, envoyCandidates, nil).describe(&p)
			p.new = func(wanted []string) parser {
				e := newColumns(envoyNames, envoyCandidates, 10, splitSpaces, wanted)
				return &envoy{columnParser: e, plain: e.table, istio: newTable(istioNames, envoyCandidates, wanted)}
			}
			return p
		},
	})
}

type envoy struct {
	*columnParser
	plain, istio table
}

func (p *envoy) parse(line []byte, r *record) request.Reason {
	if !timestamp.Shaped(line, "[0000-00-00T00:00:00") {
		return reasonForeign
	}
	p.columns = splitSpaces(line, p.columns[:0])
	end := bytes.IndexByte(line, ']')
	if len(p.columns) < p.least || end < 0 || !bytes.HasPrefix(line[end:], []byte(`] "`)) {
		return reasonForeign
	}
	// Istio's first further field says why the response came to be; it never is a number.
	p.table = p.plain
	if !allDigits(p.columns[4]) {
		p.table = p.istio
	}
	return p.take(r, p.columns)
}
