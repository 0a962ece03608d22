package accesslog

import "keyskew/ingest/request"

// sslRequest is the log format of ssl_request_log in the configuration that Apache comes with.
const sslRequest = `%t %h %{SSL_PROTOCOL}x %{SSL_CIPHER}x "%r" %b`

// sslRequestFormat is the second access log of Apache with TLS.
func sslRequestFormat() request.Format {
	return format(spec{
		id:     "ssl_request",
		title:  "request log of Apache's mod_ssl",
		text:   "Time, client, protocol, cipher, request and bytes: the ssl_request_log of Apache's own configuration.",
		source: "Apache HTTP Server: mod_ssl, httpd-ssl.conf",
		plan: func(_ [][]byte, s request.Select) plan {
			t, err := parseLetters(sslRequest)
			if err != nil {
				return plan{reason: err.Error()}
			}
			return t.plan(s.Zone)
		},
	})
}
