// Package accesslog decodes HTTP access logs that are text: lines of web servers, proxies, load
// balancers and object stores come in, batches of requests leave.
//
// A parser per format reads a line into a record (record.go), which holds what the log says as parts of
// the line. What all formats share is done once, behind it: the request target is taken apart, the key
// is chosen (key.go), and the row is added (decoder.go). The key is the path of the request target,
// without scheme, host and query, as it was logged but for the log's own escapes: its case, a trailing
// slash and percent-encoding stay, since a server may treat them differently.
//
// Lines may wear what docker, Kubernetes, syslog and others put around them (package wrap).
package accesslog

import "keyskew/ingest/request"

// Formats lists the formats in the order of detection: where two fit equally well, the first is taken.
func Formats() []request.Format {
	return []request.Format{
		customFormat(),
		cloudfrontFormat(),
		w3cFormat(),
		zeekFormat(),
		gcsFormat(),
		albFormat(),
		elbFormat(),
		envoyFormat(),
		s3Format(),
		haproxyFormat(),
		npmFormat(),
		uwsgiFormat(),
		traefikFormat(),
		vhostFormat(),
		extendedFormat(),
		combinedFormat(),
		werkzeugFormat(),
		clfFormat(),
		untimedFormat(),
		sslRequestFormat(),
		uvicornFormat(),
		ltsvFormat(),
		squidFormat(),
	}
}

// Reasons for lines that are no requests.
const (
	reasonForeign    request.Reason = "not a line of this access log"
	reasonJunk       request.Reason = "no HTTP request line"
	reasonUntimed    request.Reason = "no time that can be read"
	reasonCut        request.Reason = "cut off at the end of the input"
	reasonBlank      request.Reason = "blank line"
	reasonHeader     request.Reason = "header or comment line"
	reasonNotice     request.Reason = "line of an error log, or of tail"
	reasonConnection request.Reason = "connection without an HTTP request"
	reasonLifecycle  request.Reason = "action of the store itself, no request"
)

// benign says whether lines skipped for this reason hold no request by their nature.
func benign(r request.Reason) bool {
	switch r {
	case reasonBlank, reasonHeader, reasonNotice, reasonConnection, reasonLifecycle:
		return true
	}
	return false
}

// parser reads lines into records. It keeps storage only: what a line means does not depend on the lines
// in front of it, but for the header of the formats that have one.
type parser interface {
	// parse returns why the line holds no request, or "". Where the reason is reasonJunk, the rest of
	// the record is filled all the same.
	parse(line []byte, r *record) request.Reason
}

// headed is a parser of a format with header lines.
type headed interface {
	parser
	// header takes over the header line; nil when there was none yet.
	header(line []byte)
}

// spec is what distinguishes one format from the others.
type spec struct {
	id, title, text, source string
	// isHeader is request.Format.Header.
	isHeader func(line []byte) bool
	// plan looks at the first lines, without their wrapper, and says how to read them.
	plan func(lines [][]byte, s request.Select) plan
}

// plan is how the lines of one input are read.
type plan struct {
	// new makes a parser that fills record.wanted with the columns of these names; nil when the format
	// cannot be read, for the reason given.
	new    func(wanted []string) parser
	reason string
	// columns that the rows have.
	columns request.Columns
	// parts of a record beside the path and the method that can be chosen as keys: "host", "client",
	// "user"; and names of columns.
	parts, names []string
	// mapping says where things come from.
	mapping []request.Mapped
	// defaultKey is the part that is the key unless the user chooses; "" is the path.
	defaultKey string
	// only restricts which lines are counted as matching; nil counts all that can be read.
	only func(line []byte) bool
}

func format(s spec) request.Format {
	return request.Format{
		ID: s.id, Title: s.title, Text: s.text, Source: s.source,
		Detect: func(head []byte, sel request.Select) request.Detection { return detect(s, head, sel) },
		Header: s.isHeader,
		CutOff: reasonCut,
	}
}
