package accesslog

import (
	"keyskew/ingest/request"
	"keyskew/ingest/timestamp"
)

// fixed describes a format whose columns never change.
func fixed(names []string, candidates []candidate, least int, split func([]byte, [][]byte) [][]byte) func([][]byte, request.Select) plan {
	return func([][]byte, request.Select) plan {
		var p plan
		newTable(names, candidates, nil).describe(&p)
		p.new = func(wanted []string) parser { return newColumns(names, candidates, least, split, wanted) }
		return p
	}
}

func newColumns(names []string, candidates []candidate, least int, split func([]byte, [][]byte) [][]byte, wanted []string) *columnParser {
	return &columnParser{
		filler:   filler{clock: newClock(nil)},
		table:    newTable(names, candidates, wanted),
		split:    split,
		least:    least,
		needTime: true,
	}
}

// guarded refuses lines before a parser sees them.
type guarded struct {
	parser
	accept func(line []byte) bool
}

func (g guarded) parse(line []byte, r *record) request.Reason {
	if !g.accept(line) {
		return reasonForeign
	}
	return g.parser.parse(line, r)
}

// guard lets a plan see only lines that look like its format.
func guard(p plan, accept func(line []byte) bool) plan {
	if inner := p.new; inner != nil {
		p.new = func(wanted []string) parser { return guarded{inner(wanted), accept} }
	}
	return p
}

var (
	albNames = []string{
		"type", "time", "elb", "client:port", "target:port", "request_processing_time",
		"target_processing_time", "response_processing_time", "elb_status_code", "target_status_code",
		"received_bytes", "sent_bytes", "request", "user_agent", "ssl_cipher", "ssl_protocol",
		"target_group_arn", "trace_id", "domain_name", "chosen_cert_arn", "matched_rule_priority",
		"request_creation_time", "actions_executed", "redirect_url", "error_reason", "target:port_list",
		"target_status_code_list", "classification", "classification_reason", "conn_trace_id",
	}
	elbNames = []string{
		"time", "elb", "client:port", "backend:port", "request_processing_time",
		"backend_processing_time", "response_processing_time", "elb_status_code", "backend_status_code",
		"received_bytes", "sent_bytes", "request", "user_agent", "ssl_cipher", "ssl_protocol",
	}
	elbCandidates = []candidate{
		{name: "time", role: roleTime},
		{name: "client:port", role: roleClient},
		{name: "target:port", role: roleUpstream},
		{name: "backend:port", role: roleUpstream},
		{name: "request_processing_time", role: roleAddSeconds},
		{name: "target_processing_time", role: roleAddSeconds},
		{name: "backend_processing_time", role: roleAddSeconds},
		{name: "response_processing_time", role: roleAddSeconds},
		{name: "elb_status_code", role: roleStatus},
		{name: "sent_bytes", role: roleSize},
		{name: "request", role: roleRequest},
	}
)

// albFormat is the log of AWS Application Load Balancers.
func albFormat() request.Format {
	return format(spec{
		id:    "alb",
		title: "log of an AWS Application Load Balancer",
		text: "Space-separated fields from the connection's type on, quoted where they may hold blanks; fields " +
			"that AWS adds at the end are passed over. The time is the end of the request, the latency the " +
			"sum of the three processing times, the partition the target.",
		source: "AWS: Elastic Load Balancing user guide, Access logs for your Application Load Balancer",
		plan:   albPlan,
	})
}

func albPlan(lines [][]byte, s request.Select) plan {
	p := guard(fixed(albNames, elbCandidates, 13, splitSpaces)(lines, s), isALB)
	p.parts = append(p.parts, "host")
	return p
}

func isALB(line []byte) bool {
	for i, c := range line[:min(len(line), 6)] {
		if c == ' ' {
			switch string(line[:i]) {
			case "http", "https", "h2", "grpcs", "ws", "wss":
				return timestamp.Shaped(line[i+1:], "0000-00-00T00:00:00")
			}
			return false
		}
	}
	return false
}

// elbFormat is the log of the load balancers that came before (Classic Load Balancers).
func elbFormat() request.Format {
	return format(spec{
		id:    "elb",
		title: "log of an AWS Classic Load Balancer",
		text: "As that of the Application Load Balancer, without the type in front. The lines of TCP " +
			"listeners hold no request.",
		source: "AWS: Elastic Load Balancing user guide, Access logs for your Classic Load Balancer",
		plan:   elbPlan,
	})
}

func elbPlan(lines [][]byte, s request.Select) plan {
	p := guard(fixed(elbNames, elbCandidates, 12, splitSpaces)(lines, s), isELB)
	p.parts = append(p.parts, "host")
	return p
}

// isELB: a time, the name, and two addresses with their ports, the second of which may be missing.
func isELB(line []byte) bool {
	if !timestamp.Shaped(line, "0000-00-00T00:00:00") {
		return false
	}
	_, rest := word(line)
	_, rest = word(rest)
	client, rest := word(rest)
	backend, _ := word(rest)
	return hasPort(client) && (hasPort(backend) || string(backend) == "-")
}
