package accesslog

import (
	"fmt"
	"strings"
)

// nginxVariables are the variables that are used; any other can be chosen as the key.
var nginxVariables = map[string]role{
	"remote_addr": roleClient, "realip_remote_addr": roleClient, "remote_user": roleUser,
	"http_x_forwarded_for": unused,
	"time_local":           roleTime, "time_iso8601": roleTime, "msec": roleTime,
	"request": roleRequest, "request_method": roleMethod, "request_uri": roleTarget, "uri": roleTarget,
	"args": roleQuery, "query_string": roleQuery,
	"status": roleStatus, "body_bytes_sent": roleSize, "bytes_sent": roleSize,
	"host": roleHost, "http_host": roleHost, "server_name": roleHost,
	"request_time":  roleSeconds,
	"upstream_addr": roleUpstream, "upstream_cache_status": roleCache,
}

// nginxOnce are roles that several variables could play: the first one in the format does.
func nginxOnce(t *template) {
	taken := map[role]bool{}
	hasRequest := false
	for _, s := range t.steps {
		hasRequest = hasRequest || s.role == roleRequest
	}
	for i := range t.steps {
		r := t.steps[i].role
		repeats := hasRequest && (r == roleMethod || r == roleTarget || r == roleQuery)
		if r != unused && taken[r] || repeats {
			t.steps[i].role = unused
		}
		taken[r] = true
	}
}

// parseNginx reads a log_format: the string alone, or the directive as it stands in the configuration.
func parseNginx(text string) (template, error) {
	var t template
	text = directive(text)
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			t.literal(text)
			break
		}
		t.literal(text[:i])
		text = text[i+1:]
		braced := strings.HasPrefix(text, "{")
		text = strings.TrimPrefix(text, "{")
		n := 0
		for n < len(text) && (text[n] == '_' || text[n]-'0' <= 9 || text[n]|0x20-'a' < 26) {
			n++
		}
		if n == 0 {
			return t, fmt.Errorf("log format: a $ without the name of a variable")
		}
		name := text[:n]
		text = text[n:]
		if braced {
			var ok bool
			if text, ok = strings.CutPrefix(text, "}"); !ok {
				return t, fmt.Errorf("log format: ${%s is not closed", name)
			}
		}
		if last := len(t.steps) - 1; last >= 0 && len(t.steps[last].until) == 0 {
			return t, fmt.Errorf("log format: nothing separates $%s from $%s", t.steps[last].name, name)
		}
		t.add(name, nginxVariables[name])
	}
	nginxOnce(&t)
	return t, nil
}

// directive takes "log_format NAME escape=...", the quotes and the semicolon off, and joins the strings.
func directive(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "log_format")
	if !ok || rest == "" || strings.TrimLeft(rest, " \t\r\n") == rest {
		if t := strings.TrimSpace(text); len(t) > 1 && t[0] == '\'' && strings.HasSuffix(strings.TrimSuffix(t, ";"), "'") {
			return joinStrings(t)
		}
		return text
	}
	return joinStrings(rest)
}

// joinStrings joins the quoted strings of a directive.
func joinStrings(text string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(text, `'"`)
		if i < 0 {
			return out.String()
		}
		quote := text[i]
		text = text[i+1:]
		for text != "" && text[0] != quote {
			if text[0] == '\\' && len(text) > 1 {
				text = text[1:]
			}
			out.WriteByte(text[0])
			text = text[1:]
		}
		text = strings.TrimPrefix(text, string(quote))
	}
}
