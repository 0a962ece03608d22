package ingest

import (
	"slices"

	"keyskew/ingest/accesslog"
	"keyskew/ingest/delimited"
	"keyskew/ingest/jsonlines"
	"keyskew/ingest/request"
)

// order is that in which detection tries the formats: what can be told for sure before what fits many
// inputs. Access logs come before JSON since they peel the JSON that containers wrap lines in; known
// traces come before tables, which most of them are; records without any text come before key lists,
// which almost anything is.
var order = []string{
	monitorID,
	custom,
	"cloudfront", "w3c", "zeek", "gcs",
	"alb", "elb", "envoy", "s3", "haproxy", "npm", "uwsgi",
	"traefik", "vhost_combined", "combined+", "combined", "werkzeug", "clf", "clf_untimed", "ssl_request", "uvicorn",
	"ltsv", "squid",
	"caddy", "traefik-json", "envoy-json", "cloudflare", "gcp-json", "aws-waf-json", "pino-http",
	"nginx-json", "http-json", "jsonl", "json-array",
	"twitter", "msr", "alibaba-block", "tencent-block", "kvcache", "metablock", "libcachesim-csv", "address", "arc",
	"oraclegeneral", "cache2k",
	"csv-multiline", "csv", "keylist",
}

// custom is the format that a log format given by the user describes.
const custom = "custom"

// Formats lists the formats that are read, in the order in which detection tries them.
func Formats() []request.Format {
	all := slices.Concat([]request.Format{monitorFormat()}, accesslog.Formats(), jsonlines.Formats(), delimited.Formats())
	slices.SortStableFunc(all, func(a, b request.Format) int {
		return slices.Index(order, a.ID) - slices.Index(order, b.ID)
	})
	return all
}

func byID(formats []request.Format, id string) *request.Format {
	i := slices.IndexFunc(formats, func(f request.Format) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &formats[i]
}
