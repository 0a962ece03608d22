package jsonlines

// spec is what is known of one kind of record.
type spec struct {
	id, title, text, source string
	// marks are what a record must have to be of this kind: of each list one field.
	marks [][]string
	// claims give fields their roles, the better ones first. Nil: names and values decide (aliases).
	claims []claim
	// aliases are names that may have a role, for kinds whose fields are free.
	aliases []claim
	// variables are names of which a record must have two (nginx's own).
	variables []string
	// http says that records are HTTP requests; those of other kinds are requests for a key.
	http bool
	// kind is what the field with roleKind begins with in a request; "" lets all pass.
	kind string
}

// A field of a log line that is no request.
var logNames = []string{"level", "msg", "message", "severity", "logger", "lvl", "log"}

func specs() []spec {
	return []spec{
		{
			id: "caddy", title: "Caddy access log",
			text: "Caddy's JSON access log: the requests of http.log.access and its named loggers. The key is " +
				"request.uri without its query; other log lines of Caddy are left out.",
			source: "Caddy, modules/caddyhttp/server.go and logging.go",
			marks:  [][]string{{"request.uri"}, {"request.method"}},
			claims: []claim{
				{role: roleTarget, field: "request.uri"},
				{role: roleTime, field: "ts"}, {role: roleTime, field: "time"}, {role: roleTime, field: "timestamp"},
				{role: roleOp, field: "request.method"},
				{role: roleSize, field: "size"},
				{role: roleClient, field: "request.client_ip"}, {role: roleClient, field: "request.remote_ip"},
				{role: roleClient, field: "request.remote_addr"},
				{role: roleStatus, field: "status"},
				{role: roleLatency, field: "duration", exp: seconds},
				{role: roleHost, field: "request.host"},
				{role: roleUser, field: "user_id"},
				{role: roleKind, field: "logger"},
			},
			http: true, kind: "http.log.access",
		},
		{
			id: "traefik-json", title: "Traefik JSON access log",
			text: "Traefik's access log with format json. The key is RequestPath without its query, the " +
				"partition is the server that answered (ServiceAddr).",
			source: "Traefik, pkg/middlewares/accesslog/logdata.go",
			marks:  [][]string{{"RequestPath"}, {"RequestMethod", "DownstreamStatus", "RequestHost"}},
			claims: []claim{
				{role: roleTarget, field: "RequestPath"},
				{role: roleTime, field: "StartUTC"}, {role: roleTime, field: "StartLocal"}, {role: roleTime, field: "time"},
				{role: roleOp, field: "RequestMethod"},
				{role: roleSize, field: "DownstreamContentSize"},
				{role: rolePartition, field: "ServiceAddr"}, {role: rolePartition, field: "ServiceURL.Host"},
				{role: rolePartition, field: "BackendAddr"}, {role: rolePartition, field: "BackendURL.Host"}, // up to 1.7
				{role: roleClient, field: "ClientHost"}, {role: roleClient, field: "ClientAddr"},
				{role: roleStatus, field: "DownstreamStatus"},
				{role: roleLatency, field: "Duration", exp: nanos},
				{role: roleHost, field: "RequestHost"}, {role: roleHost, field: "RequestAddr"},
				{role: roleUser, field: "ClientUsername"},
				{role: roleRetries, field: "RetryAttempts"},
			},
			http: true,
		},
		{
			id: "envoy-json", title: "Envoy or Istio JSON access log",
			text: "Envoy's access log as JSON, as Istio and Envoy Gateway set it up. The key is the path without " +
				"its query, the partition is upstream_host.",
			source: "Envoy, access log format dictionaries; Istio, MeshConfig accessLogEncoding JSON",
			marks: [][]string{
				{"path", "x-envoy-origin-path", "x-envoy-original-path", ":path"},
				{"response_code"},
				{"response_flags", "upstream_host", "upstream_cluster", "downstream_remote_address"},
			},
			claims: []claim{
				{role: roleTarget, field: "x-envoy-original-path"}, {role: roleTarget, field: "x-envoy-origin-path"},
				{role: roleTarget, field: "path"}, {role: roleTarget, field: ":path"},
				{role: roleTime, field: "start_time"}, {role: roleTime, field: "time"},
				{role: roleOp, field: "method"}, {role: roleOp, field: ":method"},
				{role: roleSize, field: "bytes_sent"},
				{role: rolePartition, field: "upstream_host"},
				{role: roleClient, field: "downstream_remote_address"}, {role: roleClient, field: "x-forwarded-for"},
				{role: roleStatus, field: "response_code"},
				{role: roleLatency, field: "duration", exp: millis},
				{role: roleHost, field: "authority"}, {role: roleHost, field: ":authority"},
			},
			http: true,
		},
		{
			id: "cloudflare", title: "Cloudflare Logpush HTTP requests",
			text: "Cloudflare's Logpush data set http_requests. The key is ClientRequestURI (or ClientRequestPath) " +
				"without its query.",
			source: "Cloudflare, Logpush fields of HTTP requests",
			marks: [][]string{
				{"ClientRequestURI", "ClientRequestPath"},
				{"RayID", "EdgeStartTimestamp", "EdgeResponseStatus", "ClientRequestMethod"},
			},
			claims: []claim{
				{role: roleTarget, field: "ClientRequestURI"}, {role: roleTarget, field: "ClientRequestPath"},
				{role: roleTime, field: "EdgeStartTimestamp"}, {role: roleTime, field: "EdgeEndTimestamp"},
				{role: roleOp, field: "ClientRequestMethod"},
				{role: roleSize, field: "EdgeResponseBytes"},
				{role: rolePartition, field: "OriginIP"},
				{role: roleClient, field: "ClientIP"},
				{role: roleStatus, field: "EdgeResponseStatus"},
				{role: roleLatency, field: "EdgeTimeToFirstByteMs", exp: millis},
				{role: roleCache, field: "CacheCacheStatus"},
				{role: roleHost, field: "ClientRequestHost"},
			},
			http: true,
		},
		{
			id: "gcp-json", title: "Google Cloud load balancer log",
			text: "Cloud Logging entries with an httpRequest (load balancer, Cloud Run, App Engine). The key is the " +
				"path of httpRequest.requestUrl without its query.",
			source: "Google Cloud, LogEntry.HttpRequest",
			marks:  [][]string{{"httpRequest.requestUrl"}, {"httpRequest.requestMethod", "httpRequest.status"}},
			claims: []claim{
				{role: roleTarget, field: "httpRequest.requestUrl"},
				{role: roleTime, field: "timestamp"}, {role: roleTime, field: "receiveTimestamp"},
				{role: roleOp, field: "httpRequest.requestMethod"},
				{role: roleSize, field: "httpRequest.responseSize"},
				{role: rolePartition, field: "httpRequest.serverIp"},
				{role: roleClient, field: "httpRequest.remoteIp"},
				{role: roleStatus, field: "httpRequest.status"},
				{role: roleLatency, field: "httpRequest.latency", exp: ownUnit},
				{role: roleCache, field: "httpRequest.cacheHit"},
			},
			http: true,
		},
		{
			id: "aws-waf-json", title: "AWS WAF log",
			text:   "AWS WAF's log of web requests. The key is httpRequest.uri; httpRequest.args is the query.",
			source: "AWS WAF Developer Guide, log fields for protection pack traffic",
			marks:  [][]string{{"httpRequest.uri"}, {"httpRequest.httpMethod"}},
			claims: []claim{
				{role: roleTarget, field: "httpRequest.uri"},
				{role: roleQuery, field: "httpRequest.args"},
				{role: roleTime, field: "timestamp"},
				{role: roleOp, field: "httpRequest.httpMethod"},
				{role: roleClient, field: "httpRequest.clientIp"},
				{role: roleHost, field: "httpRequest.host"},
				{role: roleStatus, field: "responseCodeSent"},
			},
			http: true,
		},
		{
			id: "pino-http", title: "pino-http request log",
			text: "The request log of pino-http (Node.js), written when a request is done. The key is req.url " +
				"without its query.",
			source: "pinojs/pino-http, logger.js",
			marks:  [][]string{{"req.url"}, {"req.method"}, {"res.statusCode", "responseTime"}},
			claims: []claim{
				{role: roleTarget, field: "req.url"},
				{role: roleTime, field: "time"},
				{role: roleOp, field: "req.method"},
				{role: roleSize, field: "res.headers.content-length"},
				{role: roleClient, field: "req.remoteAddress"},
				{role: roleStatus, field: "res.statusCode"},
				{role: roleLatency, field: "responseTime", exp: millis},
				{role: roleHost, field: "req.headers.host"},
			},
			http: true,
		},
		{
			id: "nginx-json", title: "nginx JSON access log",
			text: "An access log that nginx writes as JSON, its fields named after nginx's variables. The key is " +
				"the path of request_uri, request or uri, without its query; \\xHH, which nginx writes unless " +
				"log_format says escape=json, is read as a byte.",
			source:  "nginx, ngx_http_log_module",
			aliases: httpAliases(),
			variables: []string{
				"remote_addr", "body_bytes_sent", "bytes_sent", "time_local", "time_iso8601", "msec", "request_time",
				"upstream_addr", "upstream_response_time", "upstream_status", "upstream_cache_status", "request_uri",
				"request_length", "remote_user", "http_user_agent", "http_referer", "server_protocol", "request_method",
			},
			http: true,
		},
		{
			id: "http-json", title: "HTTP access log as JSON",
			text: "JSON objects with a path (uri, request_uri, path, url ...) and a method, or a request line. The " +
				"key is the path without its query. Where several fields fit a role, the one that tells more is " +
				"taken, and the next where it is empty.",
			source:  "common names of access log fields; Elastic Common Schema; OpenTelemetry HTTP attributes",
			aliases: httpAliases(),
			http:    true,
		},
		{
			id: "jsonl", title: "trace of JSON objects",
			text: "One JSON object a line, one request each. The key is the field named key, id, object_id, path " +
				"or the like; a list of keys is one request for each of them. Two fields that fit one role are " +
				"refused: say which with --key, --time and so on.",
			source:  "JSON Lines (jsonlines.org), RFC 8259",
			aliases: traceAliases(),
		},
	}
}
