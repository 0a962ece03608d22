// Program accesslog makes the sample access logs beside it: it starts an nginx and an Apache of its own,
// sends each the same seeded load, and keeps what they logged and what was asked. It needs nginx and
// apache2 on the PATH (Debian: nginx-light, apache2). The requests follow from the seed; the times are
// the machine's.
//
//	go run ./testdata/accesslog
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "testdata/accesslog", "folder to write to")
	seed := flag.Uint64("seed", 4, "seed of the load")
	flag.Parse()
	if err := record(*out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "accesslog:", err)
		os.Exit(1)
	}
}

// ask is one request as it goes over the wire, and the key that it is for; "" for one that is broken.
type ask struct{ wire, key string }

// load draws the requests: articles whose popularity is Zipf's, one that is asked for by everyone in the
// middle of the time, a counter that is written, and what servers on the internet also see.
func load(seed uint64, n int) []ask {
	r := rand.New(rand.NewPCG(seed, 0))
	const articles = 300
	var sums [articles]float64
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -0.9)
		sums[i] = sum
	}
	plain := func(method, path, query string) ask {
		return ask{fmt.Sprintf("%s %s%s HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\nContent-Length: 0\r\n"+
			"User-Agent: load/1.0 \"quoted\" back\\slash\r\nReferer: http://www.example.com/\xc3\xa9\r\n\r\n", method, path, query), path}
	}
	var out []ask
	for i := range n {
		switch x := r.Float64(); {
		case x < 0.25 && i > n/3 && i < 2*n/3:
			out = append(out, plain("GET", "/articles/viral.html", fmt.Sprintf("?_=%d", r.IntN(1e9))))
		case x < 0.35:
			out = append(out, plain("POST", "/app/counter", ""))
		case x < 0.37:
			out = append(out, plain("PUT", fmt.Sprintf("/app/items/%d", r.IntN(20)), ""))
		case x < 0.38:
			out = append(out, plain("DELETE", fmt.Sprintf("/app/items/%d", r.IntN(20)), ""))
		case x < 0.40:
			out = append(out, plain("HEAD", "/", ""))
		case x < 0.41:
			out = append(out, plain("GET", "/caf\xc3\xa9/a\"b%2Fc", "?q=\"x\""))
		case x < 0.42:
			out = append(out, ask{"GET http://www.example.com/absolute?x HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n", "/absolute"})
		case x < 0.425:
			out = append(out, ask{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", ""})
		case x < 0.43:
			out = append(out, ask{"FOO\r\n\r\n", ""})
		default:
			i, _ := slices.BinarySearch(sums[:], r.Float64()*sum)
			out = append(out, plain("GET", fmt.Sprintf("/articles/%d.html", i), ""))
		}
	}
	return out
}

// send sends a request and waits for the end of the answer.
func send(port int, a ask) error {
	c, err := net.DialTimeout("tcp", address(port), time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, a.wire); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, c)
	return err
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

const (
	requests   = 3000
	nginxPort  = 18080
	apachePort = 18081
	backendOne = 18082
	backendTwo = 18083
	nobody     = 18084 // nobody listens: nginx asks the next backend
)

func record(out string, seed uint64) error {
	dir, err := os.MkdirTemp("", "accesslog")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, port := range []int{backendOne, backendTwo} {
		go http.ListenAndServe(address(port), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }))
	}
	asks := load(seed, requests)
	for _, s := range []struct {
		port    int
		config  string
		command []string
	}{
		{nginxPort, nginxConfig, []string{"nginx", "-e", dir + "/error.log", "-c", dir + "/nginx"}},
		{apachePort, apacheConfig, []string{"apache2", "-X", "-f", dir + "/apache2"}},
	} {
		config := strings.NewReplacer("DIR", dir, "PORT", fmt.Sprint(s.port), "ONE", address(backendOne),
			"TWO", address(backendTwo), "NOBODY", address(nobody)).Replace(s.config)
		if err := os.WriteFile(filepath.Join(dir, s.command[0]), []byte(config), 0o644); err != nil {
			return err
		}
		if err := run(s.command, s.port, asks); err != nil {
			return fmt.Errorf("%s: %w", s.command[0], err)
		}
	}
	logs, err := filepath.Glob(dir + "/*.log")
	if err != nil {
		return err
	}
	for _, path := range logs {
		if filepath.Base(path) == "error.log" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := pack(filepath.Join(out, filepath.Base(path)+".gz"), data); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "asked.tsv"), asked(asks), 0o644)
}

// run starts a server, sends the load and stops the server.
func run(command []string, port int, asks []ask) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}()
	for i := 0; ; i++ {
		c, err := net.Dial("tcp", address(port))
		if err == nil {
			c.Close()
			break
		}
		if i == 100 {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, a := range asks {
		if err := send(port, a); err != nil {
			return err
		}
	}
	time.Sleep(500 * time.Millisecond) // an entry is written after its answer
	return nil
}

func pack(path string, data []byte) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// asked lists how often each path was asked for, quoted as in Go; the broken requests are under "".
func asked(asks []ask) []byte {
	counts := map[string]int{}
	for _, a := range asks {
		counts[a.key]++
	}
	keys := slices.Collect(maps.Keys(counts))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	var b bytes.Buffer
	for _, k := range keys {
		fmt.Fprintf(&b, "%d\t%q\n", counts[k], k)
	}
	return b.Bytes()
}

const nginxConfig = `daemon off;
master_process off;
pid DIR/nginx.pid;
events {}
http {
	log_format plus '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" '
		'"$http_user_agent" rt=$request_time urt="$upstream_response_time" upstream="$upstream_addr"';
	log_format json escape=json '{"time":"$time_iso8601","remote_addr":"$remote_addr","request_method":"$request_method",'
		'"request_uri":"$request_uri","status":$status,"body_bytes_sent":$body_bytes_sent,"request_time":$request_time,'
		'"upstream_addr":"$upstream_addr","http_user_agent":"$http_user_agent"}';
	access_log DIR/nginx-combined.log combined;
	access_log DIR/nginx-plus.log plus;
	access_log DIR/nginx-json.log json;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
	upstream app {
		server ONE max_fails=0;
		server TWO max_fails=0;
		server NOBODY max_fails=0;
	}
	server {
		listen 127.0.0.1:PORT;
		location / { return 200 "hello\n"; }
		location /app/ {
			proxy_pass http://app;
			proxy_next_upstream error non_idempotent;
		}
	}
}
`

const apacheConfig = `ServerRoot /usr/lib/apache2
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
ServerName www.example.com
Listen 127.0.0.1:PORT
PidFile DIR/apache.pid
ErrorLog DIR/error.log
DefaultRuntimeDir DIR
DocumentRoot DIR
UseCanonicalName Off
LogFormat "%h %l %u %t \"%r\" %>s %b" common
LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" combined
LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined
CustomLog DIR/apache-common.log common
CustomLog DIR/apache-combined.log combined
CustomLog DIR/apache-vhost.log vhost_combined
`
