package accesslog

import (
	"bytes"

	"keyskew/ingest/request"
)

var (
	s3Names = []string{
		"bucket_owner", "bucket", "time", "remote_ip", "requester", "request_id", "operation", "key",
		"request_uri", "http_status", "error_code", "bytes_sent", "object_size", "total_time",
		"turn_around_time", "referer", "user_agent", "version_id", "host_id", "signature_version",
		"cipher_suite", "authentication_type", "host_header", "tls_version", "access_point_arn", "acl_required",
	}
	s3Candidates = []candidate{
		{name: "bucket", role: roleUpstream},
		{name: "time", role: roleTime},
		{name: "remote_ip", role: roleClient},
		{name: "requester", role: roleUser},
		{name: "key", role: roleObject},
		{name: "request_uri", role: roleRequest},
		{name: "http_status", role: roleStatus},
		{name: "bytes_sent", role: roleSize},
		{name: "total_time", role: roleMilliseconds},
		{name: "host_header", role: roleHost},
	}
)

// s3Format is the server access log of Amazon S3.
func s3Format() request.Format {
	return format(spec{
		id:    "s3",
		title: "server access log of Amazon S3",
		text: "The key is the object key as logged (URL-encoded, of some requests twice); requests to a bucket " +
			"itself have none. The partition is the bucket. What the store does of itself (expiry, " +
			"transitions) is no request.",
		source: "AWS: Amazon S3 user guide, Amazon S3 server access log format",
		plan:   s3Plan,
	})
}

func s3Plan(lines [][]byte, s request.Select) plan {
	p := fixed(s3Names, s3Candidates, 9, splitSpaces)(lines, s)
	p.defaultKey = "object"
	p.new = func(wanted []string) parser {
		return s3{newColumns(s3Names, s3Candidates, 9, splitSpaces, wanted)}
	}
	return p
}

type s3 struct{ *columnParser }

// s3Operation is the column of the operation: REST.GET.OBJECT, BATCH.DELETE.OBJECT, S3.EXPIRE.OBJECT.
const s3Operation = 6

func (p s3) parse(line []byte, r *record) request.Reason {
	owner := bytes.IndexByte(line, ' ')
	bucket := bytes.IndexByte(line[owner+1:], ' ')
	if owner < 1 || bucket < 1 || !bytes.HasPrefix(line[owner+1+bucket:], []byte(" [")) || owner != 64 && owner != 1 {
		return reasonForeign
	}
	reason := p.columnParser.parse(line, r)
	if reason != reasonJunk || len(p.columns) <= s3Operation {
		return reason
	}
	// Some lines have an operation but no request: one per key of a multi-object delete.
	kind, rest, _ := bytes.Cut(p.columns[s3Operation], []byte{'.'})
	if string(kind) == "S3" {
		return reasonLifecycle
	}
	verb, _, _ := bytes.Cut(rest, []byte{'.'})
	if len(verb) == 0 || request.MethodNumber(verb) < 0 {
		return reason
	}
	r.method = verb
	return ""
}
