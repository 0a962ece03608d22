package episode

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The values are those of scipy's chi2, checked with gonum.
func TestGarwood(t *testing.T) {
	for _, tt := range []struct{ x, lower, upper, oneLower, oneUpper float64 }{
		{0, 0, 3.6889, 0, 2.9957}, {1, 0.0253, 5.5716, 0.0513, 4.7439}, {23, 14.58, 34.5113, 15.7195, 32.5854},
		{97, 78.6605, 118.3318, 81.3882, 114.8316}, {118, 97.6717, 141.3115, 100.7186, 137.4935},
		{1941, 1855.6013, 2029.3152, 1869.106, 2015.0497},
	} {
		lower, upper := Garwood(tt.x)
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"lower", lower, tt.lower}, {"upper", upper, tt.upper},
			{"one-sided lower", GarwoodLower(tt.x), tt.oneLower}, {"one-sided upper", GarwoodUpper(tt.x), tt.oneUpper},
		} {
			if math.Abs(v.got-v.want) > 1e-3 {
				t.Errorf("%s bound of %v: %v, want %v", v.name, tt.x, v.got, v.want)
			}
		}
	}
}

// At 1 request in 100 over 1 s and a threshold of 10,000 requests a second: how often a key of some rate is
// called hot (values of scipy's poisson).
func TestPromotionOfSamples(t *testing.T) {
	l := Rule{Rate: 10_000, Sampled: true}.Levels(1e6, 1.0/100)
	if l.Promote != 118 || l.Expected != 100 || l.Lower != 50 {
		t.Fatalf("%+v", l)
	}
	for rate, want := range map[float64]float64{
		9000: 0.0027, 10_000: 0.0428, 11_000: 0.2349, 12_000: 0.5846, 13_000: 0.8643, 15_000: 0.997,
	} {
		if got := 1 - (distuv.Poisson{Lambda: rate / 100}).CDF(l.Promote-1); math.Abs(got-want) > 1e-3 {
			t.Errorf("%v/s is called hot with probability %v, want %v", rate, got, want)
		}
	}
}

// The levels of a sample are where the bounds of a count cross the threshold.
func TestLevelsOfSamplesAreGarwoods(t *testing.T) {
	for _, expected := range []float64{30, 31.7, 100, 999.5, 25_000} {
		l := Rule{Rate: expected, Sampled: true}.Levels(0, 1)
		if GarwoodLower(l.Promote) < expected || GarwoodLower(l.Promote-1) >= expected {
			t.Errorf("hot from %v at a threshold of %v", l.Promote, expected)
		}
		if GarwoodUpper(l.Demote) < l.Lower || GarwoodUpper(l.Demote-1) >= l.Lower {
			t.Errorf("below under %v at a lower threshold of %v", l.Demote, l.Lower)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		rule           Rule
		total, seconds float64
		want           Levels
		decides        bool
	}{
		{Rule{Rate: 1000, Share: 0.01}, 9e9, 2, Levels{2000, 1000, 2000, 1000, 30}, true},
		{Rule{Share: 0.01}, 10_000, 1, Levels{100, 50, 116.45, 50, 30}, true},
		{Rule{Share: 0.01}, 2900, 1, Levels{29, 14.5, 30, 14.5, 30}, false},
		{Rule{Rate: 29}, 9e9, 1, Levels{29, 14.5, 30, 14.5, 30}, false},
		{Rule{Rate: 10, Sampled: true}, 0, 1, Levels{10, 5, 30, 5, 30}, false},
	} {
		if got := tt.rule.Levels(tt.total, tt.seconds); got != tt.want || got.Decides() != tt.decides {
			t.Errorf("%+v, %v in %v s: %+v, want %+v", tt.rule, tt.total, tt.seconds, got, tt.want)
		}
	}
}

// Requests that are drawn together in fours tell as much as a quarter of them drawn one by one.
func TestRequestsDrawnTogether(t *testing.T) {
	one := Rule{Rate: 250, Sampled: true}.Levels(0, 1)
	four := Rule{Rate: 1000, Sampled: true, Together: 4}.Levels(0, 1)
	want := Levels{4 * one.Expected, 4 * one.Lower, 4 * one.Promote, 4 * one.Demote, 120}
	if four != want {
		t.Errorf("%+v, want %+v", four, want)
	}
	if (Rule{Rate: 119, Sampled: true, Together: 4}).Levels(0, 1).Decides() {
		t.Error("119 requests in fours decide")
	}
}
