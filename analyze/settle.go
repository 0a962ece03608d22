package analyze

import (
	"keyskew/sketch"
	"keyskew/sketch/prefetch"
)

// settle counts the keys of the table where those that were dropped are counted.
func (s *Summary) settle() {
	if s.settled {
		return
	}
	s.settled = true
	f := newSettler(s)
	for e := range s.keys.All() {
		f.add(&e)
	}
	f.flush()
}

// settler counts what the table knows of keys in the Count-Min sketch and in the loads, each key while the
// memory for those behind it is fetched.
type settler struct {
	s      *Summary
	feeder *sketch.Feeder
	queue  [8]struct {
		load       load
		slot, part uint16
	}
	at   int
	room [2]uintptr
}

func newSettler(s *Summary) *settler { return &settler{s: s, feeder: sketch.NewFeeder(s.countMin)} }

func (f *settler) add(e *sketch.Entry[keyRow]) {
	v := &e.Value
	q := &f.queue[f.at]
	f.count(f.at)
	q.load, _ = f.s.loadOf(v, saturate(e.G, e.Cov))
	q.slot, q.part = v.slot, v.part
	f.feeder.Add(e.Hash, q.load.Requests)
	slot := &f.s.slots[v.slot]
	f.room = [2]uintptr{prefetch.At(&slot.Requests), prefetch.At(&slot.Work)}
	prefetch.Lines(f.room[:])
	f.at = (f.at + 1) % len(f.queue)
}

func (f *settler) count(i int) {
	q := &f.queue[i]
	if q.load.Requests == 0 {
		return
	}
	f.s.slots[q.slot].add(&q.load)
	if f.s.parts != nil && q.part != noPart {
		f.s.parts[q.part].add(&q.load)
	}
	q.load = load{}
}

func (f *settler) flush() {
	for i := range f.queue {
		f.count(i)
	}
	f.feeder.Flush()
}
