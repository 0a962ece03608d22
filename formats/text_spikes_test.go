package formats

import "testing"

func TestSpikeSentences(t *testing.T) {
	at := func(n int) string { return stamp(second(n)) }
	part := func(key string, part float64) Explanation { return Explanation{Key: NewBytes([]byte(key)), Part: part} }
	p := &printer{whole: true, r: &Report{Spikes: []Spike{
		{Start: at(1), End: at(2), Baseline: 100, Peak: 151, Extra: 51, Ended: true, Reads: 1},
		{Start: at(10), End: at(20), Baseline: 1234, Peak: 5678, Extra: 900, Ended: true, Reads: 0.6, Writes: 0.4, Explained: 0.3, ExplainedBy: []Explanation{part("a", 0.3)}},
		{Start: at(30), End: at(40), Baseline: 100, Peak: 200, Extra: 1000, Writes: 0.99, Explained: 0.75, ExplainedBy: []Explanation{part("a", 0.5), part("b", 0.25)}},
		{
			Start: at(50), End: at(60), Baseline: 100, Peak: 200, Extra: 999, Ended: true, Explained: 0.81,
			ExplainedBy: []Explanation{part("a", 0.21), part("b", 0.2), part("c", 0.15), part("d", 0.1), part("e", 0.08), part("f", 0.07)},
		},
	}}}
	want := []string{
		"12:00:10: up from 1,230 to 5,680 req/s at most, until 12:00:20. Of the extra load a makes 30%, the rest is spread over many keys; 60% is reads, 40% writes.",
		"12:00:30: up from 100 to 200 req/s at most, and stayed up to 12:00:40. Of the extra load a makes 50% and b 25%; nearly all of it is writes.",
		"12:00:50: up from 100 to 200 req/s at most, until 12:01:00. Of the extra load a makes 21%, b 20%, c 15%, d 10% and 2 more.",
		"… and 1 smaller: --format json",
	}
	got := p.spikeSentences()
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
	p.r.Spikes = p.r.Spikes[:1]
	if got := p.spikeSentences(); len(got) != 1 || got[0] != "12:00:01: up from 100 to 151 req/s at most, until 12:00:02. No single key explains the extra load: many rose together; nearly all of it is reads." {
		t.Errorf("%q", got)
	}
}
