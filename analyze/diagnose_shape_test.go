package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"keyskew/analyze/order"
	"keyskew/analyze/partition"
	"keyskew/analyze/skew"
	"keyskew/ingest/request"
)

// shop is a minute of traffic: background keys with Zipf's exponent 1, one viral key with a fifth of all, and
// new orders named by their time.
func shop() []row {
	const n, keys = 60_000, 5_000
	rng := rand.New(rand.NewPCG(4, 4))
	var cumulative []float64
	sum := 0.0
	for r := 1; r <= keys; r++ {
		sum += 1 / float64(r)
		cumulative = append(cumulative, sum)
	}
	var rows []row
	for i := range n {
		r := row{at: start + int64(i)*int64(time.Millisecond), offset: int64(i) * 50, op: request.Read, command: 1, client: 1}
		switch u := rng.Float64(); {
		case u < 0.2:
			r.key = "viral"
		case u < 0.22:
			r.key, r.op, r.command = fmt.Sprintf("order:%d:new", r.at/1e6), request.Write, 2
		default:
			rank, _ := slices.BinarySearch(cumulative, rng.Float64()*sum)
			r.key = fmt.Sprintf("user:%d", rank*7919%keys)
			if rng.IntN(5) == 0 {
				r.op, r.command = request.Write, 2
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func TestDiagnoseSkew(t *testing.T) {
	rows := shop()
	layout, err := partition.Partitioners()[0].Even(8)
	if err != nil {
		t.Fatal(err)
	}
	d := Diagnose(collect(t, config(), rows, true, 9000, 20_000), Options{Top: 10, Layout: layout})
	s := d.Skew
	if s == nil || s.Verdict != skew.Zipf && s.Verdict != skew.ZipfLike || math.Abs(s.Fit.S-1) > 0.03 || s.Lower > 1 || s.Upper < 1 {
		t.Fatalf("%+v", s)
	}
	if len(s.Removed) != 1 || string(s.Removed[0]) != "viral" || s.Spikes[0].Ratio < 2 {
		t.Errorf("left out: %q, %v", s.Removed, s.Spikes)
	}
	if s.TopKey.Lower != s.TopKey.Upper || math.Abs(s.TopKey.Value-0.2) > 0.01 || s.Top1Pct == nil || s.Power == nil || s.PowerP != nil {
		t.Errorf("%+v, %v, %v", s.Head, s.Power, s.PowerP)
	}
	if len(s.Growth) != 4 || s.Growth[0].Shards != 8 || s.Growth[3].Shards != 128 {
		t.Errorf("%+v", s.Growth)
	}
	if len(s.Points) < 40 || s.Points[0].Rank != 1 || float64(s.Points[len(s.Points)-1].Rank) != d.Totals.Distinct.Value {
		t.Errorf("points %+v", s.Points)
	}
	want := map[string]string{"KS401": "viral", "KS402": "", "KS301": "order:{int}:new"}
	for _, f := range d.Findings {
		if target, ok := want[f.ID]; ok {
			if f.Target != target || f.Severity != Info {
				t.Errorf("%+v", f)
			}
			delete(want, f.ID)
		}
	}
	if len(want) > 0 {
		t.Errorf("no findings %v among %+v", want, d.Findings)
	}
	// Asked for, the power law is tested, always with the same outcome.
	tested := Diagnose(collect(t, config(), rows, true), Options{Top: 10, PowerLawTest: 20}).Skew.PowerP
	again := Diagnose(collect(t, config(), rows, true), Options{Top: 10, PowerLawTest: 20}).Skew.PowerP
	if tested == nil || again == nil || *tested != *again {
		t.Errorf("p = %v, then %v", tested, again)
	}
	// Shares of chosen requests say nothing of shards.
	if d := Diagnose(collect(t, config(), rows, true), Options{Top: 10, Filtered: true}); d.Skew.Growth != nil {
		t.Errorf("more shards for a filtered input: %+v", d.Skew.Growth)
	}
}

func TestDiagnoseOrder(t *testing.T) {
	d := Diagnose(collect(t, config(), shop(), true, 9000, 20_000), Options{Top: 10})
	if len(d.Order) < 3 || string(d.Order[0].Name) != "order:{int}:new" || d.Order[0].Verdict != order.TimeOrdered || d.Order[0].Kind != order.Millis {
		t.Fatalf("%+v", d.Order)
	}
	if rate := d.Order[0].NewPerSecond; rate < 17 || rate > 23 {
		t.Errorf("%v new orders a second, want about 20", rate)
	}
	for _, f := range d.Order[1:] {
		if f.Verdict != order.No {
			t.Errorf("%s: %s", f.Name, f.Verdict)
		}
	}
	// Orders of an input that is sampled stand for more.
	if f := Diagnose(collect(t, config(), shop(), true), Options{Top: 10, SampleEvery: 10}).Order[0]; f.NewPerSecond < 170 {
		t.Errorf("%v new orders a second of a tenth of the traffic", f.NewPerSecond)
	}
}

// What is said of the order of keys and of more shards is no alarm: on this input nothing is wrong.
func TestShapeIsNoAlarm(t *testing.T) {
	var rows []row
	for i := range 20_000 {
		rows = append(rows, row{key: fmt.Sprint("order:", start/1e6+int64(i)), at: start + int64(i)*1e6, offset: int64(i), op: request.Write, command: 2})
	}
	d := Diagnose(collect(t, config(), rows, true), Options{Top: 5, Capacity: Capacity{Value: 1e6, Kind: Given}})
	if !slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.ID == "KS301" }) {
		t.Fatalf("%+v", d.Findings)
	}
	if d.Severity != OK {
		t.Errorf("severity %s", d.Severity)
	}
}

// Above the key budget heads are bounds that hold the truth, the exponent is still right, and what cannot be
// known is not given.
func TestDiagnoseSkewBounded(t *testing.T) {
	const n, keys = 400_000, 200_000
	rng := rand.New(rand.NewPCG(6, 6))
	z := rand.NewZipf(rng, 1.0001, 1, keys-1)
	counts := map[string]uint64{}
	var rows []row
	for i := range n {
		key := "k" + strconv.FormatUint(z.Uint64()*7919%keys, 10)
		counts[key]++
		rows = append(rows, row{key: key, at: start + int64(i)*1e5, offset: int64(i), op: request.Read, command: 1})
	}
	d := Diagnose(collect(t, config(), rows, true, 50_000, 100_000), Options{Top: 10})
	s := d.Skew
	if d.Totals.Exact || s.Power != nil || s.Regression != 0 {
		t.Fatalf("exact %v, %v, %v", d.Totals.Exact, s.Power, s.Regression)
	}
	if math.Abs(s.Fit.S-1) > 0.03 {
		t.Errorf("s = %v", s.Fit.S)
	}
	var all []uint64
	for _, c := range counts {
		all = append(all, c)
	}
	slices.Sort(all)
	slices.Reverse(all)
	head := func(k int) (sum float64) {
		for _, c := range all[:k] {
			sum += float64(c) / n
		}
		return sum
	}
	if top := head(100); s.Top100.Lower > top || s.Top100.Upper < top {
		t.Errorf("top 100 %+v, truly %v", s.Top100, top)
	}
	if s.Top1Pct != nil {
		if top := head((len(all) + 99) / 100); s.Top1Pct.Lower > top || s.Top1Pct.Upper < top {
			t.Errorf("top 1%% %+v, truly %v", *s.Top1Pct, top)
		}
	}
}

// BenchmarkDiagnose is the answer for a full table.
func BenchmarkDiagnose(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []row
	for i := range 1_500_000 {
		key := uint64(i)
		if i >= 590_000 {
			key = uint64(math.Exp(rng.Float64() * math.Log(590_000)))
		}
		rows = append(rows, row{key: "t7:key:" + strconv.FormatUint(key*7919%590_000, 10), at: start + int64(i)*50_000, offset: int64(i), op: request.Write, command: 2})
	}
	c := config()
	c.KeyBudget = 600_000
	s := collect(b, c, rows, true)
	for b.Loop() {
		Diagnose(s, Options{Top: 10})
	}
}
