package accesslog

import "keyskew/ingest/request"

// templated is a format whose lines are those of one log format, in the letters of Apache or the variables of
// nginx.
func templated(s spec, logFormat string, parse func(string) (template, error)) request.Format {
	s.plan = func(_ [][]byte, sel request.Select) plan {
		t, err := parse(logFormat)
		if err != nil {
			return plan{reason: err.Error()}
		}
		return t.plan(sel.Zone)
	}
	return format(s)
}

// sslRequestFormat is the second access log of Apache with TLS.
func sslRequestFormat() request.Format {
	return templated(spec{
		id:     "ssl_request",
		title:  "request log of Apache's mod_ssl",
		text:   "Time, client, protocol, cipher, request and bytes: the ssl_request_log of Apache's own configuration.",
		source: "Apache HTTP Server: mod_ssl, httpd-ssl.conf",
	}, `%t %h %{SSL_PROTOCOL}x %{SSL_CIPHER}x "%r" %b`, parseLetters)
}

// uvicornFormat is what Uvicorn prints.
func uvicornFormat() request.Format {
	return templated(spec{
		id:     "uvicorn",
		title:  "access log of Uvicorn",
		text:   "Client, request and status, as Uvicorn prints them for FastAPI and Starlette by default. It has no times.",
		source: "Uvicorn: logging.py, AccessFormatter",
	}, `INFO:     $remote_addr - "$request" $status $reason`, parseNginx)
}
