package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// server is a redis-server of our own, in a folder of its own, that saves nothing.
type server struct {
	addr string
	cmd  *exec.Cmd
}

// startServer refuses a port in use, lest the load go to somebody's server.
func startServer(ctx context.Context, dir string, port int, options ...string) (*server, error) {
	args := append([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir,
		"--protected-mode", "no", // which takes 127.0.0.2 for a stranger
		"--save", "", "--appendonly", "no", "--loglevel", "warning",
		"--client-output-buffer-limit", "normal 0 0 0",
	}, options...)
	s := &server{addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), cmd: exec.CommandContext(ctx, "redis-server", args...)}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return nil, err
	}
	l.Close()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if c, err := dial(s.addr, "127.0.0.1"); err == nil {
			c.conn.Close()
			return s, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("redis-server does not answer on %s", s.addr)
}

func (s *server) stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// freePort asks the system for a port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// client is one connection that speaks RESP.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

// dial connects from the given local address (all of 127.0.0.0/8 is local on Linux).
func dial(addr, from string) (*client, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	conn, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReader(conn)}, nil
}

// send writes commands in one piece, so several are a pipeline. It does not wait for replies.
func (c *client) send(commands ...[]string) error {
	var b bytes.Buffer
	for _, args := range commands {
		fmt.Fprintf(&b, "*%d\r\n", len(args))
		for _, a := range args {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
		}
	}
	_, err := c.conn.Write(b.Bytes())
	return err
}

// ask sends one command and returns its reply: a simple string, number, bulk string or error as text; an
// array as its elements, one per line.
func (c *client) ask(args ...string) (string, error) {
	if err := c.send(args); err != nil {
		return "", err
	}
	reply, err := c.reply()
	if err == nil && strings.HasPrefix(reply, "-") {
		err = fmt.Errorf("%s: %s", args[0], reply[1:])
	}
	return reply, err
}

func (c *client) reply() (string, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	switch {
	case line == "":
		return "", fmt.Errorf("empty reply")
	case line[0] == '-':
		return line, nil
	case line[0] == '$' || line[0] == '=':
		n, err := strconv.Atoi(line[1:])
		if err != nil || n < 0 {
			return "", err
		}
		b := make([]byte, n+2)
		_, err = io.ReadFull(c.in, b)
		return string(b[:n]), err
	case line[0] == '*':
		n, err := strconv.Atoi(line[1:])
		if err != nil {
			return "", err
		}
		var out []string
		for range n {
			s, err := c.reply()
			if err != nil {
				return "", err
			}
			out = append(out, s)
		}
		return strings.Join(out, "\n"), nil
	}
	return line[1:], nil
}

// drain reads and forgets all replies until the server closes the connection, after QUIT.
func (c *client) drain() error {
	_, err := io.Copy(io.Discard, c.in)
	c.conn.Close()
	return err
}

// sentinel ends a capture: the line of this ECHO is the last one.
const sentinel = "end of the recording"

// monitor runs MONITOR and writes what redis-cli monitor would print, until the sentinel has come.
func monitor(addr string, w io.Writer) (done <-chan error, err error) {
	c, err := dial(addr, "127.0.0.1")
	if err != nil {
		return nil, err
	}
	if err := c.send([]string{"MONITOR"}); err != nil {
		return nil, err
	}
	one := func() (string, error) {
		line, err := c.in.ReadString('\n')
		line = strings.TrimSuffix(line, "\r\n")
		if err == nil && !strings.HasPrefix(line, "+") {
			err = fmt.Errorf("not a line of MONITOR: %.100q", line)
		}
		if err == nil {
			_, err = io.WriteString(w, line[1:]+"\n")
		}
		return line, err
	}
	if _, err := one(); err != nil {
		return nil, err
	}
	result := make(chan error, 1)
	go func() {
		defer c.conn.Close()
		for {
			line, err := one()
			if err != nil || strings.HasSuffix(line, strconv.Quote(sentinel)) {
				result <- err
				return
			}
		}
	}()
	return result, nil
}
