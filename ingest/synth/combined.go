package synth

import (
	"strconv"
	"strings"
	"time"
)

func combinedFormat() Format {
	return Format{
		ID:    "combined",
		Title: "nginx access log",
		Text: "The combined log format of nginx: a key is the path behind the first slash, percent-encoded " +
			"where needed; GET reads, PUT writes, all with status 200. Times are whole seconds, an MGET is " +
			"three lines, and polls are left out.",
		step:   time.Second,
		spell:  percentEncoded,
		name:   func(key string) string { return "/" + percentEncoded(key) },
		refuse: anyKey,
		lines:  combinedLines,
	}
}

// Each client keeps one of these.
var (
	agents = [...]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
		"curl/8.5.0",
	}
	referers = [...]string{"https://www.example.com/", "https://www.example.com/feed?sort=new", "-"}
)

func combinedLines(c Config) func([]byte, *command) []byte {
	clients, tails := make([]string, c.Clients), make([]string, c.Clients)
	for i := range clients {
		clients[i] = address(0, i) + " - - ["
		tails[i] = ` "` + referers[i/len(agents)%len(referers)] + `" "` + agents[i%len(agents)] + "\"\n"
	}
	clock := stamp{layout: "02/Jan/2006:15:04:05 -0700"}
	return func(b []byte, c *command) []byte {
		b = append(b, clients[c.client]...)
		b = clock.append(b, c.micros/1_000_000)
		if c.op == get {
			b = append(b, `] "GET /`...)
		} else {
			b = append(b, `] "PUT /`...)
		}
		b = append(b, c.keys[0]...)
		b = append(b, ` HTTP/1.1" 200 `...)
		b = strconv.AppendUint(b, c.size, 10)
		return append(b, tails[c.client]...)
	}
}

// percentEncoded leaves alone what may stand in a path (RFC 3986, pchar and the slash).
func percentEncoded(key string) string {
	const upper = "0123456789ABCDEF"
	var b []byte
	for _, c := range []byte(key) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&'()*+,;=:@/", c) >= 0:
			b = append(b, c)
		default:
			b = append(b, '%', upper[c>>4], upper[c&15])
		}
	}
	return string(b)
}
