package accesslog

import (
	"path/filepath"
	"slices"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// corpus says what each real log is: its format, its requests and its bad lines. A format of "" is for
// files that no format here reads: JSON, and logs without requests.
var corpus = []struct {
	file     string
	format   string
	requests int64
	bad      int64
}{
	{"apache_combined_10k.log", "combined", 10000, 0},
	{"cloudfront_100.gz", "cloudfront", 100, 0},
	{"cloudfront_100k.gz", "cloudfront", 100000, 0},
	{"cs_apache-http-probing.log", "clf", 77, 0},
	{"cs_aws-alb-http-bad-user-agent.log", "alb", 4, 0},
	{"cs_aws-alb-logs.log", "alb", 14, 0},
	{"cs_caddy-logs.log", "", 0, 0},
	{"cs_envoy-logs.log", "envoy", 4, 6}, // the others are JSON
	{"cs_haproxy-logs.log", "haproxy", 2, 0},
	{"cs_haproxy-nextcloud-whitelist.log", "haproxy", 1, 0},
	{"cs_http-bf-wordpress-bf.log", "combined", 9, 0},
	{"cs_http-dos-bypass-cache.log", "combined", 356, 0},
	{"cs_http-dos-random-uri.log", "combined", 66, 0},
	{"cs_http-dos-switching-ua.log", "combined", 15, 0},
	{"cs_nginx-proxy-manager-logs.log", "npm", 12, 0},
	{"cs_nginx_http-logs.log", "combined", 8, 0},
	{"cs_traefik_base-http-scenario.log", "", 0, 0},
	{"cs_traefik_json.log", "", 0, 0},
	{"iis8_fields_twice.log", "w3c", 2, 0},
	{"lnav_logfile_access_log.0", "combined", 3, 0},
	{"lnav_logfile_bad_access_log.0", "combined", 3, 0},
	{"lnav_logfile_bro_http.log.0", "zeek", 197, 0},
	{"lnav_logfile_caddy_log.0", "", 0, 0},
	{"lnav_logfile_cloudflare.json", "", 0, 0},
	{"lnav_logfile_crlf.0", "", 0, 0},
	{"lnav_logfile_docker_compose_with_noise.0", "", 0, 0},
	{"lnav_logfile_dst.0", "", 0, 0},
	{"lnav_logfile_haproxy.0", "haproxy", 13, 0},
	{"lnav_logfile_regexp_access_log.0", "combined+", 2, 0},
	{"lnav_logfile_syslog_with_access_log.0", "clf_untimed", 2, 3},
	{"lnav_logfile_uwsgi.0", "uwsgi", 19, 0},
	{"lnav_logfile_w3c.0", "w3c", 1, 0},
	{"lnav_logfile_w3c.1", "w3c", 1, 0},
	{"lnav_logfile_w3c.2", "", 0, 0}, // an FTP server's
	{"lnav_logfile_w3c.3", "w3c", 3, 0},
	{"lnav_logfile_w3c.5", "w3c", 1, 0},
	{"lnav_playground_access.log.gz", "combined", 2492, 0},
	{"logstash_haproxy.log", "haproxy", 5, 1},
	{"logstash_httpd.log", "combined", 3, 0},
	{"logstash_squid.log", "squid", 4, 0},
	{"mtail_apache-combined.log", "combined", 5, 0},
	{"mtail_apache-common.log", "combined+", 3, 0},
	{"mtail_lighttpd_access.log", "combined+", 19, 0},
	{"nek_sample_ltsv_all_match.log", "ltsv", 5, 0},
	{"nek_sample_ltsv_all_match.log.gz", "ltsv", 5, 0},
	{"nek_sample_s3_all_match.log", "s3", 5, 0},
	{"nek_sample_s3_all_match.log.gz", "s3", 5, 0},
	{"../../formats_samples/combined.log", "combined", 6, 3},
	{"../../formats_samples/up.log", "combined+", 6, 3},
	{"../../formats_samples/hcombined.log", "combined", 6, 1},
}

func TestCorpus(t *testing.T) {
	for _, c := range corpus {
		t.Run(c.file, func(t *testing.T) {
			data := requesttest.File(t, golden.Corpus(t, "http", filepath.FromSlash(c.file)))
			f, d := best(head(data), request.Select{})
			if f.ID != c.format {
				t.Fatalf("detected as %q, want %q (%s)", f.ID, c.format, d.Reason)
			}
			if d.New == nil {
				return
			}
			_, tally := readAll(t, d, data)
			_, bad := tally.Skipped()
			if tally.Requests != c.requests || bad != c.bad {
				t.Errorf("%d requests, %d bad lines %v; want %d, %d", tally.Requests, bad, tally.Skips, c.requests, c.bad)
			}
		})
	}
}

// The numbers were counted with awk and a regular expression over the raw lines.
func TestCorpusKeys(t *testing.T) {
	for _, c := range []struct {
		file, key string
		distinct  int
		top       []string
		backwards int64 // records before the one in front of them; -1 is not known
	}{
		{"apache_combined_10k.log", "", 1368, []string{"/favicon.ico 807", "/ 575", "/style2.css 546", "/reset.css 538", "/images/jordan-80.png 533"}, -1},
		{"apache_combined_10k.log", "path+query", 1498, []string{"/favicon.ico 807", "/style2.css 546", "/reset.css 538", "/images/jordan-80.png 533", "/images/web/2009/banner.png 516"}, -1},
		{"cs_http-dos-bypass-cache.log", "", 1, []string{"/ 356"}, -1},
		{"cs_http-dos-bypass-cache.log", "path+query", 356, []string{"/?100081006464 1", "/?100403561720 1", "/?100464955350 1", "/?100903393852 1", "/?10158916517 1"}, -1},
		{"cs_http-dos-random-uri.log", "", 22, []string{"/BMUQJJ 3", "/CAEYRV 3", "/CLPGJJ 3", "/DLHXFX 3", "/FDSHCH 3"}, -1},
		{"cs_http-bf-wordpress-bf.log", "path+query", 1, []string{"/wp-login.php 9"}, -1},
		{"cloudfront_100.gz", "", 81, []string{"/NQLdLWDAb-T.jpg 4", "/WtBWkOJYS-T.jpg 3", "/mBJIrIbfE-T.jpg 3", "/tdOWgCbpo-T.jpg 3", "/IsltWrSVT-T.jpg 2"}, 3},
		{"cloudfront_100k.gz", "cs-uri-stem", 81, []string{"/ENWfUstcr-T.jpg 1236", "/JvGgvikCJ-T.jpg 1236", "/KSDuJzzrT-T.png 1236", "/KxLYzxvIp-T.jpg 1236", "/LENOFhyGW-T.jpg 1236"}, 2469},
	} {
		t.Run(c.file+" "+c.key, func(t *testing.T) {
			data := requesttest.File(t, golden.Corpus(t, "http", c.file))
			_, d := best(head(data), request.Select{Key: c.key})
			if d.New == nil {
				t.Fatal(d.Reason)
			}
			got, tally := readAll(t, d, data)
			if _, distinct, top := got.Top(len(c.top), requesttest.ByKey); distinct != c.distinct || !slices.Equal(top, c.top) {
				t.Errorf("%d keys, %v; want %d, %v", distinct, top, c.distinct, c.top)
			}
			if c.backwards >= 0 && tally.OutOfOrder != c.backwards {
				t.Errorf("time goes back %d times, want %d", tally.OutOfOrder, c.backwards)
			}
		})
	}
}
