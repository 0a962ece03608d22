package replay

import (
	"fmt"
	"testing"
	"time"

	"keyskew/analyze/episode"
	"keyskew/ingest/request"
)

const second = int64(time.Second)

// feed replays a minute of 5,000 cold requests a second; "hot" has `rate` on top from 20.3 s to 40 s.
func feed(r *Replay, rate int) {
	sink := r.NewSink(0)
	b := request.NewBatch(1, request.TimeColumn)
	b.Names = []string{"?"}
	flush := func(key string, at int64, op request.Op, flags request.Flags) {
		b.Reset()
		b.Append(&request.Row{Key: []byte(key), Op: op, Flags: flags, Time: at})
		sink.Add(b)
	}
	const tick = 100
	for i := range 60 * tick {
		at := int64(i) * second / tick
		for k := range 5000 / tick {
			flush(fmt.Sprint("cold:", (i*50+k)*7919%3000), at, request.Read, 0)
		}
		if at >= 20*second+3*second/10 && at < 40*second {
			for range rate / tick {
				flush("hot", at, request.Write, 0)
			}
		} else {
			flush("hot", at, request.Poll, 0)
		}
		flush("", at, request.Other, request.NoKey)
		if i%777 == 0 {
			if err := r.Fold(sink); err != nil {
				panic(err)
			}
			sink = r.NewSink(0)
		}
	}
	if err := r.Fold(sink); err != nil {
		panic(err)
	}
}

var hot = Watch{Key: []byte("hot"), Episode: episode.Episode{RampStart: 20 * second, Start: 20 * second, End: 40 * second}}

func TestLag(t *testing.T) {
	for _, tt := range []struct {
		name        string
		c           Config
		rate        int
		promoted    time.Duration // 0: never
		windows, of int           // deciding, of
	}{
		// The first window has 0.7 s of it and knows at its end.
		{"every request", Config{Window: time.Second, Publish: 200 * time.Millisecond, Every: 1, Counters: 1000, Rate: 1000}, 2000, 21200 * time.Millisecond, 1, 1},
		// 0.7 s of 1,400 a second are 980: the second window.
		{"not in a part", Config{Window: time.Second, Every: 1, Counters: 5000, Rate: 1000}, 1400, 22 * time.Second, 2, 2},
		{"longer windows", Config{Window: 10 * time.Second, Every: 1, Counters: 5000, Rate: 1000}, 2000, 30 * time.Second, 1, 1},
		{"by share", Config{Window: time.Second, Every: 1, Counters: 5000, Share: 0.1}, 2000, 21 * time.Second, 1, 1},
		{"under the threshold", Config{Window: time.Second, Every: 1, Counters: 5000, Rate: 3000}, 2000, 0, 20, 20},
		// 10 samples lie at the threshold of a second: too few to tell.
		{"too rare", Config{Window: time.Second, Every: 100, Counters: 1000, Rate: 1000, Seed: 1}, 2000, 0, 0, 20},
		{"a sample", Config{Window: time.Second, Every: 10, Counters: 1000, Rate: 1000, Seed: 1}, 3000, 21 * time.Second, 1, 1},
		// One counter is shared by all keys: its error is as large as its count, unless the key comes last.
		{"too few counters", Config{Window: time.Second, Every: 1, Counters: 1, Rate: 1000}, 2000, 0, 20, 20},
	} {
		r := New(tt.c, []Watch{hot})
		feed(r, tt.rate)
		got := r.Finish()[0]
		want := Lag{
			Level: float64(tt.rate), PlateauAt: 20*second + 2*second/10, Reached: true,
			PromotedAt: int64(tt.promoted), Promoted: tt.promoted > 0, Windows: tt.of, Deciding: tt.windows,
		}
		if got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", tt.name, got, want)
		}
	}
}

// What was hot from the start of the input has no time at which it rose.
func TestLagFromStart(t *testing.T) {
	w := hot
	w.Episode.FromStart = true
	r := New(Config{Window: time.Second, Every: 1, Counters: 100, Rate: 1000}, []Watch{w, {Key: []byte("absent"), Episode: hot.Episode}})
	feed(r, 2000)
	got := r.Finish()
	if got[0].Reached || !got[0].Promoted || got[0].Level != 2000 {
		t.Errorf("%+v", got[0])
	}
	if got[1].Reached || got[1].Promoted || got[1].Level != 0 {
		t.Errorf("%+v", got[1])
	}
}

// Of n requests 1 in 10 is sampled, however they come.
func TestSampled(t *testing.T) {
	for _, weight := range []uint64{1, 7, 1000} {
		r := New(Config{Window: time.Second, Every: 10, Seed: 2}, nil)
		var in uint64
		for range 700_000 / weight {
			in += r.sampled(weight)
		}
		if in < 69_000 || in > 71_000 {
			t.Errorf("%d of 700,000 by %d", in, weight)
		}
	}
}
