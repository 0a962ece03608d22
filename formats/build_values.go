package formats

import (
	"math"
	"reflect"

	"keyskew/analyze"
	"keyskew/ingest/request"
)

func byName(counts []analyze.CommandCount) map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range counts {
		name := clean(c.Name)
		out[name] = max(out[name], out[name]+c.Count) // of two that read alike
	}
	return out
}

func algebras(set request.Algebra) []string {
	out := []string{}
	for _, tag := range set.Tags() {
		out = append(out, tag.Name)
	}
	return out
}

func names(keys [][]byte) []Bytes {
	if keys == nil {
		return nil
	}
	out := make([]Bytes, len(keys))
	for i, k := range keys {
		out[i] = NewBytes(k)
	}
	return out
}

func cleanAll(list []string) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, clean(s))
	}
	return out
}

func ref[T any](v T) *T { return &v }

// text is a string that is null when it is empty.
func text(s string) *string {
	if s = clean(s); s == "" {
		return nil
	}
	return &s
}

// known is a number that is null when it is 0 or less.
func known(f float64) *float64 {
	if f > 0 {
		return &f
	}
	return nil
}

func positive(n int) *int {
	if n > 0 {
		return &n
	}
	return nil
}

// makeFinite replaces every number that JSON has no word for: null where the field may be, else 0 for
// NaN and the largest number for an infinity. What a pointer points to is replaced, not changed: it may
// belong to the diagnosis.
func makeFinite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		switch f := v.Float(); {
		case math.IsNaN(f):
			v.SetFloat(0)
		case math.IsInf(f, 0):
			v.SetFloat(math.Copysign(math.MaxFloat64, f))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if e := v.Elem(); e.Kind() == reflect.Float64 {
			if f := e.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
				v.SetZero()
			}
			return
		}
		makeFinite(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			makeFinite(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			makeFinite(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			makeFinite(it.Value()) // series: the slice is shared, its numbers can be set
		}
	}
}
