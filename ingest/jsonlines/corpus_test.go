package jsonlines

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"keyskew/golden"
	"keyskew/ingest/request"
	"keyskew/ingest/request/requesttest"
)

// Logs of others, detected without help: total, distinct keys and the most frequent ones.
func TestCorpus(t *testing.T) {
	for _, c := range []struct{ file, key, format, framing, counts, skips string }{
		{"http/cs_caddy-logs.log", "", "caddy", "", "10 1 [/ 10]", "[(a log line of another kind: 1) (blank line: 1)]"},
		{"http/lnav_logfile_caddy_log.0", "", "caddy", "docker compose", "4 2 [/ 3 /index.html 1]",
			"[(a log line of another kind: 35)]"},
		{"http/cs_traefik_json.log", "", "traefik-json", "",
			"6 5 [/ 2 /594VAEoi.local 1 /594VAEoi.save 1 /_matrix/client/v3/sync 1 /api/data 1]", "[not a JSON object: 1]"},
		{"http/cs_traefik_base-http-scenario.log", "", "traefik-json", "",
			"80 76 [/toto 5 /594VAEoi.AP 1 /594VAEoi.ASP 1 /594VAEoi.Big5 1 /594VAEoi.Htm 1]", "[]"},
		// Four of the lines are in Envoy's text format.
		{"http/cs_envoy-logs.log", "", "envoy-json", "cri",
			"6 5 [/ 2 /.env 1 /api/create 1 /api/data 1 /assets/image.webp 1]", "[not a JSON object: 4]"},
		{"http/lnav_logfile_cloudflare.json", "", "cloudflare", "", "1 1 [/ 1]", "[]"},
		{"../formats_samples/j.log", "", "http-json", "", "6 3 [/index.html 4 /p%22ath/%0Ax/é\"q 1 /up/1 1]",
			"[no HTTP request line: 3]"},
		{"../formats_samples/j.log", "path+query", "http-json", "",
			"6 5 [/index.html 2 /index.html?a=1&b=2 1 /index.html?x 1 /p%22ath/%0Ax/é\"q 1 /up/1 1]", "[no HTTP request line: 3]"},
	} {
		t.Run(c.file+" "+c.key, func(t *testing.T) {
			data := requesttest.File(t, golden.Corpus(t, strings.Split(c.file, "/")...))
			id, d, got, tally := read(t, data, request.Select{Key: c.key})
			requesttest.Same(t, "format", id, c.format)
			requesttest.Same(t, "framing", d.Framing, c.framing)
			_, distinct, top := got.Top(5, requesttest.ByKey)
			requesttest.Same(t, "counts", fmt.Sprint(tally.Requests, distinct, top), c.counts)
			requesttest.Same(t, "skips", fmt.Sprint(skips(tally)), c.skips)
			if !tally.Timed {
				t.Error("no times")
			}
		})
	}
}

// What the corpus itself says about one of its files.
func TestCorpusFacts(t *testing.T) {
	var facts struct {
		Of map[string]struct {
			Requests int64
			Distinct int
			Top5     [][2]any
		} `json:"traces_and_http"`
	}
	if err := json.Unmarshal(requesttest.File(t, golden.Corpus(t, "FACTS.json")), &facts); err != nil {
		t.Fatal(err)
	}
	const file = "cs_traefik_base-http-scenario.log"
	want, ok := facts.Of["http/"+file+" | RequestPath"]
	if !ok {
		t.Fatal("the facts have no such entry")
	}
	_, _, got, tally := read(t, requesttest.File(t, golden.Corpus(t, "http", file)), request.Select{Key: "RequestPath"})
	var five []string
	for _, k := range want.Top5 {
		five = append(five, fmt.Sprint(k[0], " ", k[1]))
	}
	_, distinct, top := got.Top(5, requesttest.ByKey)
	requesttest.Same(t, "requests", tally.Requests, want.Requests)
	requesttest.Same(t, "distinct", distinct, want.Distinct)
	requesttest.Same(t, "top 5", top, five)
}
