package accesslog

import (
	"fmt"
	"slices"
	"strings"
)

// goaccessLetters are the fields of a format in the letters of goaccess. Those with role unused are read
// over.
var goaccessLetters = map[byte]struct {
	name string
	role role
}{
	'h': {"host", roleClient},
	'v': {"vhost", roleHost},
	'd': {"date", roleDate},
	't': {"time", roleTimeOfDay},
	'x': {"datetime", roleTime},
	'r': {"request", roleRequest},
	'm': {"method", roleMethod},
	'U': {"path", roleTarget},
	'q': {"query", roleQuery},
	'H': {"protocol", unused},
	's': {"status", roleStatus},
	'b': {"bytes", roleSize},
	'R': {"referer", unused},
	'u': {"agent", unused},
	'e': {"user", roleUser},
	'T': {"seconds", roleSeconds},
	'L': {"milliseconds", roleMilliseconds},
	'D': {"microseconds", roleMicroseconds},
	'n': {"nanoseconds", roleNanoseconds},
	'K': {"tls", unused},
	'k': {"cipher", unused},
	'M': {"mime", unused},
	'C': {"cache", roleCache},
	'^': {"", unused},
}

// apacheLetters are those of Apache's LogFormat, which mean other things.
var apacheLetters = map[byte]struct {
	name string
	role role
}{
	'h': {"host", roleClient},
	'a': {"client", roleClient},
	'l': {"ident", unused},
	'u': {"user", roleUser},
	't': {"time", roleTime},
	'r': {"request", roleRequest},
	'm': {"method", roleMethod},
	'U': {"path", roleTarget},
	'q': {"query", roleQuery},
	'H': {"protocol", unused},
	's': {"status", roleStatus},
	'b': {"bytes", roleSize},
	'B': {"bytes", roleSize},
	'O': {"bytes", roleSize},
	'I': {"received", unused},
	'v': {"vhost", roleHost},
	'V': {"vhost", roleHost},
	'p': {"port", unused},
	'P': {"process", unused},
	'D': {"microseconds", roleMicroseconds},
	'T': {"seconds", roleSeconds},
	'X': {"connection", unused},
	'k': {"keepalive", unused},
	'A': {"address", unused},
	'f': {"file", unused},
	'L': {"log_id", unused},
}

// isApache tells Apache's LogFormat from goaccess's letters by what only the former has.
func isApache(text string) bool {
	return strings.Contains(text, "%>s") || strings.Contains(text, "%{") || strings.Contains(text, "%l %u %t")
}

// parseLetters reads a log format in the letters of goaccess or of Apache.
func parseLetters(text string) (template, error) {
	var t template
	text = apacheDirective(text)
	apache := isApache(text)
	letters := goaccessLetters
	if apache {
		letters = apacheLetters
	}
	text = strings.NewReplacer(`\"`, `"`, `\t`, "\t", `\\`, `\`).Replace(text)
	for text != "" {
		i := strings.IndexByte(text, '%')
		if at := strings.Index(text, "~h{"); at >= 0 && (i < 0 || at < i) && !apache {
			// A list of addresses, and the signs that part them.
			_, rest, ok := strings.Cut(text[at:], "}")
			if !ok {
				return t, fmt.Errorf("log format: ~h{ is not closed")
			}
			t.literal(text[:at])
			t.add("hosts", roleClients)
			text = rest
			continue
		}
		if i < 0 {
			t.literal(text)
			break
		}
		t.literal(text[:i])
		text = text[i+1:]
		name := ""
		if apache {
			text = strings.TrimLeft(text, "<>!,0123456789")
			if inner, ok := strings.CutPrefix(text, "{"); ok {
				name, text, ok = strings.Cut(inner, "}")
				if !ok {
					return t, fmt.Errorf("log format: %%{%s is not closed", name)
				}
			}
		}
		if text == "" {
			return t, fmt.Errorf("log format: a %% at the end")
		}
		letter := text[0]
		text = text[1:]
		if letter == '%' {
			t.literal("%")
			continue
		}
		if last := len(t.steps) - 1; last >= 0 && len(t.steps[last].until) == 0 && !t.steps[last].spaces && letter != '~' {
			return t, fmt.Errorf("log format: nothing separates %%%c from the field in front of it", letter)
		}
		switch {
		case letter == '~' && !apache:
			t.steps = append(t.steps, step{spaces: true})
		case name != "" && letter != 't' && letter != 'T':
			t.add(strings.ToLower(name), unused)
		default:
			known, ok := letters[letter]
			if !ok {
				return t, fmt.Errorf("log format: there is no %%%c; there is %s", letter, letterList(letters))
			}
			role := known.role
			if letter == 'T' {
				switch name {
				case "ms":
					role = roleMilliseconds
				case "us":
					role = roleMicroseconds
				}
			}
			t.add(known.name, role)
		}
	}
	if apache {
		bracketTime(&t)
	}
	zone(&t)
	nginxOnce(&t)
	return t, nil
}

// apacheDirective takes "LogFormat", the quotes and the nickname off.
func apacheDirective(text string) string {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "LogFormat")
	rest = strings.TrimSpace(rest)
	if !ok && (!strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`) || !strings.Contains(text, `\"`)) {
		return text
	}
	if !ok {
		rest = text
	}
	if end := strings.LastIndexByte(rest, '"'); end > 0 && rest[0] == '"' {
		return rest[1:end]
	}
	return rest
}

// bracketTime takes the brackets that Apache writes around its time into the text around it.
func bracketTime(t *template) {
	for i := range t.steps {
		if t.steps[i].role != roleTime {
			continue
		}
		if i == 0 {
			t.lead = append(t.lead, '[')
		} else {
			t.steps[i-1].until = append(t.steps[i-1].until, '[')
		}
		t.steps[i].until = append([]byte{']'}, t.steps[i].until...)
	}
}

// zone reads the field that goaccess skips behind a time, as in [%d:%t %^], as the time's zone.
func zone(t *template) {
	for i := 1; i < len(t.steps); i++ {
		before, s := &t.steps[i-1], &t.steps[i]
		if before.role == roleTimeOfDay && string(before.until) == " " && s.name == "" && !s.spaces &&
			len(s.until) > 0 && s.until[0] == ']' {
			s.role = roleZone
		}
	}
}

func letterList(letters map[byte]struct {
	name string
	role role
}) string {
	var list []string
	for c, l := range letters {
		if l.name != "" {
			list = append(list, fmt.Sprintf("%%%c %s", c, l.name))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
