package accesslog

import (
	"fmt"
	"strings"
)

// haproxyVariables are the variables of HAProxy's log-format that are used, and the sample expressions; any
// other can be chosen as the key.
var haproxyVariables = map[string]role{
	haproxyClient: roleClientPort, "ci": roleClient, "src": roleClient,
	"t": roleTime, "T": roleTime, "Tl": roleTime, "tr": roleTime, "trg": roleTime, "trl": roleTime, "Ts": roleTime,
	"s": roleUpstream, haproxyServer: roleUpstream,
	"Ta": roleMilliseconds, "Tt": roleMilliseconds,
	"ST": roleStatus, "status": roleStatus, "B": roleSize,
	"r": roleRequest, "HM": roleMethod, "method": roleMethod, "capture.req.method": roleMethod,
	"HU": roleTarget, "url": roleTarget, "pathq": roleTarget, "capture.req.uri": roleTarget,
	"HP": rolePath, "HPO": rolePath, "path": rolePath, "HQ": roleQuery, "query": roleQuery,
	"req.hdr(host)": roleHost, "req.fhdr(host)": roleHost,
}

// What %ci:%cp and %b/%s are read as.
const (
	haproxyClient = "client:port"
	haproxyServer = "backend/server"
)

// isHAProxy tells HAProxy's log-format from the letters of Apache and goaccess by what only it has.
func isHAProxy(text string) bool {
	for _, mark := range []string{"log-format", "%ci", "%ST", "%HM", "%{+", "%[", "%si"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// parseHAProxy reads a log-format of HAProxy: the format alone, or the directive as it stands in the
// configuration (Configuration manual, "Custom log format").
func parseHAProxy(text string) (template, error) {
	t := template{mark: '#'}
	text = strings.NewReplacer(
		"%ci:%cp", "%("+haproxyClient+")", // an IPv6 address is not in brackets
		"%b/%s", "%("+haproxyServer+")",
	).Replace(haproxyDirective(text))
	always := false // %{+Q}o: all that follows is in quotes
	for text != "" {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			t.literal(text)
			break
		}
		t.literal(text[:i])
		text = text[i+1:]
		if rest, ok := strings.CutPrefix(text, "%"); ok {
			t.literal("%")
			text = rest
			continue
		}
		var v haproxyVariable
		var err error
		if v, text, err = cutVariable(text); err != nil {
			return t, err
		}
		quoted := (always || strings.Contains(v.flags, "+Q")) && !strings.Contains(v.flags, "-Q")
		switch {
		case v.name == "o":
			always = quoted
			text = strings.TrimLeft(text, " ") // it prints nothing
			continue
		case captures(v.name):
			t.steps = append(t.steps, step{captures: true})
			continue
		}
		if last := len(t.steps) - 1; last >= 0 && len(t.steps[last].until) == 0 && !t.steps[last].captures {
			return t, fmt.Errorf("log format: nothing separates %%%s from %%%s", t.steps[last].name, v.name)
		}
		t.add(v.name, haproxyVariables[v.name])
		t.steps[len(t.steps)-1].quoted = quoted
	}
	t.endCaptures()
	nginxOnce(&t)
	return t, nil
}

// captures says that a variable is the captured headers, which print nothing, and no blank of their own,
// where none are captured.
func captures(name string) bool {
	return name == "hr" || name == "hs" || name == "hrl" || name == "hsl"
}

// endCaptures takes the blanks behind captures out, which may be missing with them, and the captures at the
// end off.
func (t *template) endCaptures() {
	for i := range t.steps {
		if s := &t.steps[i]; s.captures {
			s.until = []byte(strings.TrimLeft(string(s.until), " "))
		}
	}
	for n := len(t.steps); n > 1 && t.steps[n-1].captures; n-- {
		t.steps = t.steps[:n-1]
		t.steps[n-2].until = nil
	}
}

// haproxyVariable is one variable or sample expression with its flags.
type haproxyVariable struct{ name, flags string }

// cutVariable reads what stands behind a %: {flags}, (name), and the variable's letters or an expression in
// brackets, of which the name is what stands in front of its converters.
func cutVariable(text string) (v haproxyVariable, rest string, err error) {
	var ok bool
	if inner, braced := strings.CutPrefix(text, "{"); braced {
		if v.flags, text, ok = strings.Cut(inner, "}"); !ok {
			return v, "", fmt.Errorf("log format: %%{%s is not closed", v.flags)
		}
	}
	if inner, named := strings.CutPrefix(text, "("); named {
		if v.name, text, ok = strings.Cut(inner, ")"); !ok {
			return v, "", fmt.Errorf("log format: %%(%s is not closed", v.name)
		}
		if v.name == haproxyServer || v.name == haproxyClient {
			return v, text, nil
		}
	}
	if inner, expression := strings.CutPrefix(text, "["); expression {
		i := strings.IndexByte(inner, ']')
		if i < 0 {
			return v, "", fmt.Errorf("log format: %%[%s is not closed", inner)
		}
		v.name, _, _ = strings.Cut(inner[:i], ",")
		return v, inner[i+1:], nil
	}
	n := 0
	for n < len(text) && (text[n]|0x20)-'a' < 26 {
		n++
	}
	if n == 0 {
		return v, "", fmt.Errorf("log format: a %% without the name of a variable")
	}
	v.name = text[:n]
	return v, text[n:], nil
}

// haproxyDirective takes "log-format", the quotes around the format, and the backslashes in front of blanks
// and quotes off.
func haproxyDirective(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "log-format"); ok {
		text = strings.TrimSpace(rest)
	}
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	return strings.NewReplacer(`\ `, " ", `\"`, `"`, `\[`, "[", `\]`, "]", `\\`, `\`).Replace(text)
}
