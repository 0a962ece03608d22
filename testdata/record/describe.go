package main

import (
	"bytes"
	"fmt"
	"strings"
)

// describe says what was recorded and what is planted in it, as far as it follows from the schedule.
func describe(seed uint64, events []event, version string) []byte {
	var all, reads, edits, likes, carts, jobs int
	height := 0 // commands of all kinds while the viral key is at its height
	viralAtHeight := 0
	for _, e := range events {
		t := e.at.Seconds()
		high := t >= rampTo && t < fallFrom
		for _, c := range e.commands {
			all++
			if high {
				height++
			}
			if len(c) < 2 {
				continue
			}
			switch {
			case c[1] == viralKey && c[0] == "GET":
				reads++
			case c[1] == viralKey:
				edits++
			case c[1] == counterKey:
				likes++
			case c[1] == queueKey:
				jobs++
			case strings.HasPrefix(c[1], hashTag):
				carts++
			}
			if c[1] == viralKey && high {
				viralAtHeight++
			}
		}
	}
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# redis-incident")
	p("")
	p("A recording of a real redis-server %s under a made-up load: `go run ./testdata/record -seed %d`. The", version, seed)
	p("load's commands follow from the seed; times, ports and the number of polls are the machine's.")
	p("")
	p("- `redis-incident.monitor.log.gz`: what MONITOR printed, as `redis-cli monitor` writes it, from before")
	p("  the first command of the load to after its last one (an ECHO).")
	p("- `redis-incident.commandstats.txt`: `INFO commandstats` of the same server, reset before MONITOR began")
	p("  and read after it had ended. The calls are equal to the lines of the capture, command by command, but")
	p("  for CONFIG RESETSTAT and MONITOR, which MONITOR does not print. Commands queued for a transaction that")
	p("  was discarded are in neither.")
	p("")
	p("## What is planted")
	p("")
	p("%d s with %d commands from 24 connections of 6 hosts (127.0.0.11 to .16), besides polls and the calls", int(incidentLength.Seconds()), all)
	p("made inside scripts. Background: 20,000 keys `user:`, `session:` and `product:`, Zipf with s = 0.9,")
	p("about 80%% reads.")
	p("")
	p("| what | key | commands |")
	p("|---|---|---|")
	p("| viral, read-hot | `%s` | %d GET, %d SET |", viralKey, reads, edits)
	p("| hot counter | `%s` | %d INCR |", counterKey, likes)
	p("| hash-tag pile-up | `%s:<n>`, 400 keys | %d HGETALL, HINCRBY, HDEL |", hashTag, carts)
	p("| idle queue | `%s` | %d connections of 127.0.0.31 and .32 issue BLPOP with a timeout of 1 s each; %d RPUSH |", queueKey, pollers, jobs)
	p("")
	p("- The viral key rises from nothing at %g s to its height at %g s, stays there until %g s and is gone at", rampFrom, rampTo, fallFrom)
	p("  %g s. At its height it has %.0f requests/s, %.1f%% of the commands; over the whole capture %.1f%%.", fallTo,
		float64(viralAtHeight)/(fallFrom-rampTo), 100*float64(viralAtHeight)/float64(height), 100*float64(reads+edits)/float64(all))
	p("- The counter gets 200 INCR/s, and 500/s while the post is viral.")
	p("- The hash tag gets 460 commands/s throughout; each of its keys alone is cold.")
	p("- Also in it: a rate limiter as EVAL and EVALSHA with its calls as `lua` lines, pipelines of 12 GET,")
	p("  MULTI with EXEC and with DISCARD, WATCH, MGET and MSET, locks (SET NX EX), a leaderboard (ZADD), feeds")
	p("  (LPUSH, LTRIM), a stream (XADD), binary keys and values, a UTF-8 key with quotes.")
	return b.Bytes()
}
