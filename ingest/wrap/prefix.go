package wrap

import "bytes"

// Each of these says how long the wrapper in front of a line is, in bytes; 0 when there is none.

// cri is the log format of the Kubernetes container runtime interface: time, stream, and F for a full
// line or P for a part (kubelet's cri-api logs.go).
func cri(line []byte) int {
	n := stamp(line)
	if n == 0 {
		return 0
	}
	rest := line[n:]
	for _, stream := range []string{" stdout ", " stderr "} {
		if len(rest) > len(stream)+1 && string(rest[:len(stream)]) == stream &&
			(rest[len(stream)] == 'F' || rest[len(stream)] == 'P') && rest[len(stream)+1] == ' ' {
			return n + len(stream) + 2
		}
	}
	return 0
}

// timestamp is what docker logs and kubectl logs put in front with --timestamps, CloudWatch (with a tab
// behind) and ts of moreutils.
func timestamp(line []byte) int {
	n := stamp(line)
	if n == 0 && syslog(line) == 0 {
		n = max(monthStamp(line), stampWith(line, ' '))
	}
	if n == 0 || n >= len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n + 1
}

// kubectl is the mark of kubectl logs --prefix: [pod/NAME/CONTAINER].
func kubectl(line []byte) int {
	if !bytes.HasPrefix(line, []byte("[pod/")) {
		return 0
	}
	end := bytes.Index(line, []byte("] "))
	if end < 0 || bytes.IndexByte(line[:end], ' ') >= 0 {
		return 0
	}
	return end + 2
}

// compose is the mark of docker compose logs: the service, padded, and a bar; colours may be around it.
func compose(line []byte) int {
	at := colours(line, 0)
	start := at
	for at < len(line) && nameByte(line[at]) {
		at++
	}
	if at == start {
		return 0
	}
	for at < len(line) && line[at] == ' ' {
		at++
	}
	at = colours(line, at)
	if at >= len(line) || line[at] != '|' {
		return 0
	}
	at = colours(line, at+1)
	if at < len(line) && line[at] == ' ' {
		at++
	}
	return colours(line, at)
}

// syslog is the header of RFC 3164 (with its year missing, or with the time of RFC 3339 in its place) or
// of RFC 5424, up to the message.
func syslog(line []byte) int {
	at := 0
	if len(line) > 0 && line[0] == '<' {
		end := bytes.IndexByte(line, '>')
		if end < 2 || end > 4 || digits(line[1:end]) != end-1 {
			return 0
		}
		at = end + 1
	}
	if at > 0 && bytes.HasPrefix(line[at:], []byte("1 ")) {
		return rfc5424(line, at+2)
	}
	n := monthStamp(line[at:])
	if n == 0 {
		n = stamp(line[at:])
	}
	if n == 0 {
		return 0
	}
	at += n
	if at = word(line, at); at == 0 { // the host
		return 0
	}
	if line[at-1] == ':' { // it was the tag: nginx leaves the host out with nohostname, Heroku always
		return at + 1
	}
	// The tag: a program's name, perhaps its process id, and a colon.
	for i := at + 1; i < len(line); i++ {
		switch line[i] {
		case ' ':
			return 0
		case ':':
			if i+1 < len(line) && line[i+1] == ' ' {
				return i + 2
			}
		}
	}
	return 0
}

// rfc5424 reads on behind the version: time, host, program, process, message id, structured data.
func rfc5424(line []byte, at int) int {
	at--
	for range 5 {
		if at = word(line, at); at == 0 {
			return 0
		}
	}
	at++
	if at >= len(line) {
		return 0
	}
	if line[at] == '-' {
		at++
	} else {
		for at < len(line) && line[at] == '[' {
			for at < len(line) && line[at] != ']' {
				if line[at] == '\\' {
					at++
				}
				at++
			}
			at++
		}
	}
	if at >= len(line) || line[at] != ' ' {
		return 0
	}
	at++
	if bytes.HasPrefix(line[at:], []byte("\xef\xbb\xbf")) {
		at += 3
	}
	return at
}

// word steps from the blank at line[at] to the blank behind the next word; 0 when there is none.
func word(line []byte, at int) int {
	if at >= len(line) || line[at] != ' ' {
		return 0
	}
	n := bytes.IndexByte(line[at+1:], ' ')
	if n <= 0 {
		return 0
	}
	return at + 1 + n
}

// stamp is the length of an RFC 3339 time at the front, at least to the second; 0 when there is none.
func stamp(b []byte) int { return stampWith(b, 'T') }

// stampWith is stamp with another sign between date and time.
func stampWith(b []byte, between byte) int {
	const shape = "0000-00-00 00:00:00"
	if len(b) < len(shape) {
		return 0
	}
	for i := range len(shape) {
		c := shape[i]
		if c == ' ' {
			c = between
		}
		if c == '0' && b[i]-'0' > 9 || c != '0' && b[i] != c {
			return 0
		}
	}
	n := len(shape)
	if n < len(b) && (b[n] == '.' || b[n] == ',') {
		d := digits(b[n+1:])
		if d == 0 {
			return 0
		}
		n += 1 + d
	}
	switch {
	case n >= len(b):
		return n
	case b[n] == 'Z':
		return n + 1
	case b[n] == '+' || b[n] == '-':
		zone := b[n+1:]
		if len(zone) >= 5 && digits(zone[:2]) == 2 && zone[2] == ':' && digits(zone[3:5]) == 2 {
			return n + 6
		}
		if len(zone) >= 4 && digits(zone[:4]) == 4 {
			return n + 5
		}
		return 0
	}
	return n
}

// monthStamp is the length of a time such as "Nov  3 01:01:03" or "Nov  3 01:01:03.123456" at the front; 0
// when there is none.
func monthStamp(b []byte) int {
	const shape = "Mmm dd 00:00:00"
	if len(b) < len(shape) || bytes.Index([]byte("JanFebMarAprMayJunJulAugSepOctNovDec"), b[:3])%3 != 0 {
		return 0
	}
	if b[3] != ' ' || b[4] != ' ' && b[4]-'0' > 9 || b[5]-'0' > 9 || b[6] != ' ' ||
		digits(b[7:9]) != 2 || b[9] != ':' || digits(b[10:12]) != 2 || b[12] != ':' || digits(b[13:15]) != 2 {
		return 0
	}
	n := len(shape)
	if n < len(b) && b[n] == '.' {
		n += 1 + digits(b[n+1:])
	}
	return n
}

// digits counts the decimal digits at the front.
func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}

// colours steps over terminal colour sequences.
func colours(line []byte, at int) int {
	for at+1 < len(line) && line[at] == 0x1b && line[at+1] == '[' {
		end := bytes.IndexByte(line[at:], 'm')
		if end < 0 {
			return at
		}
		at += end + 1
	}
	return at
}

// nameByte says whether a byte may be in the name of a service.
func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c-'0' <= 9 || c-'a' < 26 || c-'A' < 26
}
