package analyze

import (
	"fmt"
	"math"
	"testing"
	"time"

	"keyskew/ingest/request"
)

// For ten seconds a key that was there before makes most of a spike, and another, written, the rest.
func TestDiagnoseSpikes(t *testing.T) {
	rows := traffic(60, 2000, func(s int) int {
		if s >= 30 && s < 40 {
			return 1900
		}
		return 100
	})
	for s := 30; s < 40; s++ {
		for i := range 600 {
			rows = append(rows, row{key: "written", at: secondOf(int64(s)) + int64(i)*1e6, offset: 1e9, op: request.Write, command: 2})
		}
	}
	d := Diagnose(collect(t, config(), rows, true), Options{Top: 5})
	if len(d.Spikes) != 1 {
		t.Fatalf("%+v", d.Spikes)
	}
	p := d.Spikes[0]
	if p.Start != secondOf(30) || p.End != secondOf(40) || p.Baseline != 2100 || p.Peak != 4500 || p.Extra != 24_000 || !p.Ended {
		t.Errorf("%+v", p)
	}
	if len(p.Keys) != 2 || string(p.Keys[0].Key) != "hot" || string(p.Keys[1].Key) != "written" {
		t.Fatalf("%+v", p.Keys)
	}
	// What is not listed before the spike may have had as much as the window leaves out.
	hot, written := p.Keys[0], p.Keys[1]
	if hot.Part != 0.75 || hot.Before != 100 || hot.During != 1900 || written.Part > 0.25 || written.Part < 0.245 || written.During != 600 {
		t.Errorf("%+v", p.Keys)
	}
	if math.Abs(p.Reads-0.75) > 1e-9 || math.Abs(p.Writes-0.25) > 1e-9 {
		t.Errorf("reads %v, writes %v", p.Reads, p.Writes)
	}
	// As a sample of 1 in 10 the same is ten times as much, and as certain.
	q := Diagnose(collect(t, config(), rows, true), Options{Top: 5, SampleEvery: 10}).Spikes[0]
	if q.Baseline != 21_000 || q.Extra != 240_000 || q.Keys[0].Part != hot.Part || math.Abs(q.Keys[0].During-19_000) > 1e-6 {
		t.Errorf("%+v", q)
	}
}

// Where all keys rise together, no key explains it. Without times nothing is looked for.
func TestSpikeOfManyKeys(t *testing.T) {
	var rows []row
	for s := range 40 {
		n := 1000
		if s >= 20 {
			n = 3000
		}
		for i := range n {
			at := secondOf(int64(s)) + int64(i)*int64(time.Second)/int64(n)
			rows = append(rows, row{key: fmt.Sprint("k:", i%1000), at: at, offset: int64(len(rows)), op: request.Read, command: 1})
		}
	}
	d := Diagnose(collect(t, config(), rows, true), Options{Top: 5})
	if len(d.Spikes) != 1 || len(d.Spikes[0].Keys) != 0 || d.Spikes[0].Ended || math.Abs(d.Spikes[0].Reads-1) > 1e-9 {
		t.Errorf("%+v", d.Spikes)
	}
	if d := Diagnose(collect(t, config(), rows, false), Options{Top: 5}); d.Spikes != nil {
		t.Errorf("untimed: %+v", d.Spikes)
	}
	if d := Diagnose(collect(t, config(), rows[:15_000], true), Options{Top: 5}); d.Spikes == nil || len(d.Spikes) != 0 {
		t.Errorf("level: %+v", d.Spikes)
	}
}
