package accesslog

import (
	"strings"

	"keyskew/ingest/request"
)

const customID = "custom"

// customFormat reads what the user describes.
func customFormat() request.Format {
	return format(spec{
		id:    customID,
		title: "access log in the log format given",
		text: "A log_format of nginx with its $variables, a LogFormat of Apache, a log-format of HAProxy, a " +
			"format in the letters of goaccess (%h %v %d %t %x %r %m %U %q %s %b %R %u %e %T %L %D %n %K %k %M %C %H %^ %~), or one of " +
			"goaccess's names (COMBINED, VCOMBINED, COMMON, VCOMMON, W3C, CLOUDFRONT, CLOUDSTORAGE, AWSELB, " +
			"AWSALB, AWSS3, SQUID, TRAEFIKCLF). Any field can be chosen as the key by its name.",
		source: "goaccess(1), LOG FORMAT; nginx: ngx_http_log_module; Apache HTTP Server: mod_log_config; " +
			"HAProxy: Configuration manual, Custom log format",
		isHeader: func(line []byte) bool { return isFields(line) || isGCSHeader(line) },
		plan:     customPlan,
	})
}

func customPlan(lines [][]byte, s request.Select) plan {
	text := s.LogFormat
	if text == "" {
		return plan{reason: "it needs a log format"}
	}
	if named, ok := predefined(strings.ToUpper(text), lines, s); ok {
		return named
	}
	parse := parseLetters
	switch {
	case isHAProxy(text):
		parse = parseHAProxy
	case strings.Contains(text, "$"):
		parse = parseNginx
	}
	t, err := parse(text)
	switch {
	case err != nil:
		return plan{reason: err.Error()}
	case len(t.steps) == 0:
		return plan{reason: "log format: it has no fields, and is none of the known names"}
	}
	columns := t.table()
	if s.Key == "" && !columns.has(roleRequest, roleTarget, rolePath) {
		return plan{reason: "log format: it has no request and no path; name a field as the key"}
	}
	return t.plan(s.Zone)
}

// predefined returns the plan that goes by one of goaccess's names.
func predefined(name string, lines [][]byte, s request.Select) (plan, bool) {
	s.LogFormat = ""
	var p plan
	switch name {
	case "COMBINED":
		p = clfPlan(classCombined, lines, s)
	case "VCOMBINED":
		p = clfPlan(classVhost, lines, s)
	case "COMMON", "VCOMMON":
		p = clfPlan(classCommon, lines, s)
	case "TRAEFIKCLF":
		p = clfPlan(classTraefik, lines, s)
	case "W3C":
		p = w3cPlan(lines, s)
	case "CLOUDFRONT":
		p = cloudfrontPlan(lines, s)
	case "CLOUDSTORAGE":
		p = gcsPlan(lines, s)
	case "AWSALB":
		p = albPlan(lines, s)
	case "AWSELB":
		p = elbPlan(lines, s)
	case "AWSS3":
		p = s3Plan(lines, s)
	case "SQUID":
		p = squidPlan(lines, s)
	case "CADDY":
		return plan{reason: "log format: Caddy's log is JSON; leave the log format out and it is detected"}, true
	default:
		return plan{}, false
	}
	p.only = nil
	return p, true
}
