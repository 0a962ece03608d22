package analyze

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"keyskew/analyze/partition"
	"keyskew/ingest/request"
	"keyskew/sketch"
)

// Magic begins every summary file. Its bytes do not survive a transfer as text, as those of PNG do not.
const Magic = "\x89KSS\r\n\x1a\n"

const (
	// tagLeaf is the kind of the frame that says what a summary file covers.
	tagLeaf byte = 'L'
	// LeafBytes is the largest summary of one reading, LeafKeys how many keys it counts exactly by default.
	LeafBytes, LeafKeys = 4 << 20, 65_536
)

// Part is one input of a summary: what was read of it and what it held.
type Part struct {
	Name string
	// From and To are the bytes that were read, after unpacking; To is not included.
	From, To int64
	// Digest is of the summary that the input was first saved in: with equal ranges it tells a duplicate.
	Digest uint64

	Format, Framing, Packing string
	Confidence               float64 // in the format, 0 to 1
	Mapping                  []request.Mapped
	Bytes                    int64 // as stored
	Tally                    request.Tally
	Truncated                bool
	Error                    string // why reading broke off, "" if it did not
}

func (p *Part) compare(o *Part) int {
	return cmp.Or(cmp.Compare(p.Name, o.Name), cmp.Compare(p.From, o.From), cmp.Compare(p.To, o.To), cmp.Compare(p.Digest, o.Digest))
}

// Leaf is what a summary file holds: a summary, and what it is of.
type Leaf struct {
	// Settings are what shaped the counting beside the configuration, as NAME=VALUE, sorted. Only equal
	// ones are merged.
	Settings []string
	// SampleEvery says that the inputs hold 1 request in so many, Filtered that some were left out by key
	// or field, Stopped that reading was stopped early.
	SampleEvery       int
	Filtered, Stopped bool
	// Parts are sorted by name. The key sample of the summary numbers the inputs by their names' order.
	Parts   []Part
	Summary *Summary
}

// NewLeaf makes what is saved of one reading, whose parts are in the order of their numbers and sorted by
// name. It gives the parts their digest, and the summary at most LeafBytes.
func NewLeaf(s *Summary, parts []Part) (*Leaf, error) {
	if err := s.fit(LeafBytes); err != nil {
		return nil, err
	}
	b, err := s.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		if i > 0 && parts[i-1].Name >= parts[i].Name {
			return nil, errors.New("the inputs of a summary are not in the order of their names")
		}
		parts[i].Digest = request.Hash(b)
	}
	return &Leaf{SampleEvery: 1, Parts: parts, Summary: s}, nil
}

// fit makes the encoding smaller than so many bytes, as far as that goes: by halving the keys, then by wider
// windows and blocks, those first that list more. Very long keys may not fit for all that.
func (s *Summary) fit(most int) error {
	for {
		b, err := s.AppendBinary(nil)
		switch {
		case err != nil || len(b) <= most:
			return err
		case s.keys.Len() > MinKeyBudget:
			before := s.keys.Len()
			s.keys.Compact(max(MinKeyBudget, before/2), s.pins(), func(e *sketch.Entry[keyRow]) { s.extras.release(&e.Value) })
			if s.keys.Len() < before {
				continue
			}
		}
		w, o := s.windows, s.blocks
		if w.listed() < o.listed() {
			w, o = o, w
		}
		if !w.coarser() && !o.coarser() {
			return nil
		}
		s.windows.names.sweep(s.windows, s.blocks)
	}
}

// listed is how many keys the lists of a series hold, a key once for every list.
func (s *series) listed() int {
	n := 0
	s.lists(func(list []item) { n += len(list) })
	return n
}

// coarser makes two or more windows one, if there are wider ones and more than one window.
func (s *series) coarser() bool {
	if len(s.cells) < 2 || s.rung == len(s.spec.rungs)-1 {
		return false
	}
	s.widen()
	s.compact()
	return true
}

// Layout is what the partition loads were counted by; nil when none were.
func (s *Summary) Layout() *partition.Layout { return s.config.Layout }

// Merge adds another leaf, which is spent. Leaves that were read otherwise, and those that share a part of
// an input, are refused.
func (l *Leaf) Merge(o *Leaf) error {
	if err := l.alike(o); err != nil {
		return err
	}
	all := slices.Concat(l.Parts, o.Parts)
	slices.SortFunc(all, func(a, b Part) int { return a.compare(&b) })
	for i := 1; i < len(all); i++ {
		if all[i].Name == all[i-1].Name && (all[i].From < all[i-1].To || all[i].From == all[i-1].From) {
			return fmt.Errorf("%s is in both: its requests would count twice", all[i].Name)
		}
	}
	merged := ordinals(all)
	for _, x := range []*Leaf{l, o} {
		names := inputNames(x.Parts)
		x.Summary.sample.Renumber(func(n uint32) uint32 {
			if int(n) >= len(names) {
				return n
			}
			return merged[names[n]]
		})
	}
	if err := l.Summary.Merge(o.Summary); err != nil {
		return err
	}
	l.Summary.compactKeys()
	for _, w := range []*series{l.Summary.windows, l.Summary.blocks} {
		for _, c := range w.cells {
			w.trim(c)
		}
	}
	l.Parts, l.Stopped = all, l.Stopped || o.Stopped
	return nil
}

// alike names the first setting in which two leaves differ.
func (l *Leaf) alike(o *Leaf) error {
	if !slices.Equal(l.Settings, o.Settings) {
		for _, s := range l.Settings {
			if !slices.Contains(o.Settings, s) {
				return fmt.Errorf("summaries of unlike settings: only one has %s", s)
			}
		}
		for _, s := range o.Settings {
			if !slices.Contains(l.Settings, s) {
				return fmt.Errorf("summaries of unlike settings: only one has %s", s)
			}
		}
	}
	if l.SampleEvery != o.SampleEvery || l.Filtered != o.Filtered {
		return errors.New("summaries of unlike samples or filters")
	}
	return l.Summary.config.compatible(o.Summary.config)
}

// Holds reports whether every part of another leaf is one of this, byte for byte and counted equally.
func (l *Leaf) Holds(o *Leaf) bool {
	for i := range o.Parts {
		if !slices.ContainsFunc(l.Parts, func(p Part) bool { return p.compare(&o.Parts[i]) == 0 }) {
			return false
		}
	}
	return len(o.Parts) > 0
}

// Compare orders leaves by what they cover: the order in which they are merged.
func (l *Leaf) Compare(o *Leaf) int {
	return slices.CompareFunc(l.Parts, o.Parts, func(a, b Part) int { return a.compare(&b) })
}

func inputNames(parts []Part) []string {
	var out []string
	for _, p := range parts {
		if len(out) == 0 || out[len(out)-1] != p.Name {
			out = append(out, p.Name)
		}
	}
	return out
}

func ordinals(parts []Part) map[string]uint32 {
	out := map[string]uint32{}
	for i, name := range inputNames(parts) {
		out[name] = uint32(i)
	}
	return out
}

// AppendBinary appends the whole file.
func (l *Leaf) AppendBinary(dst []byte) ([]byte, error) {
	return l.Summary.AppendBinary(l.appendHeader(append(dst, Magic...)))
}

func (l *Leaf) appendHeader(dst []byte) []byte {
	return sketch.AppendFrame(dst, tagLeaf, func(b []byte) []byte {
		b = binary.AppendUvarint(b, uint64(len(l.Settings)))
		for _, s := range l.Settings {
			b = appendText(b, s)
		}
		b = binary.AppendUvarint(b, uint64(l.SampleEvery))
		b = appendBool(b, l.Filtered)
		b = appendBool(b, l.Stopped)
		b = binary.AppendUvarint(b, uint64(len(l.Parts)))
		for i := range l.Parts {
			b = l.Parts[i].appendBinary(b)
		}
		return b
	})
}

func (p *Part) appendBinary(b []byte) []byte {
	b = appendText(b, p.Name)
	b = binary.AppendVarint(b, p.From)
	b = binary.AppendVarint(b, p.To)
	b = binary.LittleEndian.AppendUint64(b, p.Digest)
	for _, s := range []string{p.Format, p.Framing, p.Packing, p.Error} {
		b = appendText(b, s)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Confidence))
	b = binary.AppendVarint(b, p.Bytes)
	b = appendBool(b, p.Truncated)
	b = binary.AppendUvarint(b, uint64(len(p.Mapping)))
	for _, m := range p.Mapping {
		b = appendText(appendText(b, m.Field), m.From)
	}
	t := &p.Tally
	b = appendBool(b, t.Timed)
	for _, n := range []int64{t.Lines, t.Requests, t.First, t.Last, t.FirstSeen, t.LastSeen, t.OutOfOrder, t.LongKeys} {
		b = binary.AppendVarint(b, n)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Skips)))
	for _, s := range t.Skips {
		b = appendText(b, string(s.Reason))
		b = binary.AppendVarint(b, s.Lines)
		b = appendBool(b, s.Benign)
		b = binary.AppendUvarint(b, uint64(len(s.At)))
		for _, at := range s.At {
			b = binary.AppendVarint(b, at)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(t.Notes)))
	for _, n := range t.Notes {
		b = binary.AppendVarint(appendText(b, n.Text), n.Count)
	}
	return b
}

// DecodeLeaf reads a summary file. It refuses all bytes that AppendBinary does not write.
func DecodeLeaf(src []byte) (*Leaf, error) {
	l, rest, err := decodeHeader(src)
	if err != nil {
		return nil, err
	}
	if l.Summary, rest, err = DecodeSummary(rest); err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("summary: %w: %d bytes too many", sketch.ErrDamaged, len(rest))
	}
	return l, nil
}

// DecodeCoverage reads what a summary file covers, without the summary.
func DecodeCoverage(src []byte) (*Leaf, error) {
	l, _, err := decodeHeader(src)
	return l, err
}

func decodeHeader(src []byte) (l *Leaf, rest []byte, err error) {
	if !bytes.HasPrefix(src, []byte(Magic)) {
		return nil, nil, fmt.Errorf("summary: %w: does not begin as one", sketch.ErrVersion)
	}
	r, rest, err := sketch.OpenFrame(src[len(Magic):], tagLeaf)
	if err != nil {
		return nil, nil, fmt.Errorf("summary: %w", err)
	}
	d := &decoder{r: r}
	l = &Leaf{}
	for range r.Count(maxCommands, 1) {
		l.Settings = append(l.Settings, string(d.bytes()))
	}
	l.SampleEvery, l.Filtered, l.Stopped = d.int(), d.bool(), d.bool()
	for range r.Count(math.MaxInt32, 40) {
		if l.Parts = append(l.Parts, d.part()); r.Err() != nil {
			break
		}
	}
	for i := 1; i < len(l.Parts); i++ {
		if l.Parts[i-1].compare(&l.Parts[i]) >= 0 {
			r.Fail("parts out of order")
		}
	}
	if err := r.Done(); err != nil {
		return nil, nil, fmt.Errorf("summary: %w", err)
	}
	if !slices.IsSorted(l.Settings) || !bytes.Equal(l.appendHeader(nil), src[len(Magic):len(src)-len(rest)]) {
		return nil, nil, fmt.Errorf("summary: %w: not in its canonical form", sketch.ErrDamaged)
	}
	return l, rest, nil
}

func (d *decoder) part() Part {
	r := d.r
	p := Part{Name: string(d.bytes()), From: r.Varint(), To: r.Varint(), Digest: d.fixed()}
	p.Format, p.Framing, p.Packing, p.Error = string(d.bytes()), string(d.bytes()), string(d.bytes()), string(d.bytes())
	p.Confidence = math.Float64frombits(d.fixed())
	p.Bytes, p.Truncated = r.Varint(), d.bool()
	for range r.Count(maxCommands, 2) {
		p.Mapping = append(p.Mapping, request.Mapped{Field: string(d.bytes()), From: string(d.bytes())})
	}
	t := &p.Tally
	t.Timed = d.bool()
	for _, n := range []*int64{&t.Lines, &t.Requests, &t.First, &t.Last, &t.FirstSeen, &t.LastSeen, &t.OutOfOrder, &t.LongKeys} {
		*n = r.Varint()
	}
	for range r.Count(maxCommands, 4) {
		s := request.Skip{Reason: request.Reason(d.bytes()), Lines: r.Varint(), Benign: d.bool()}
		for range r.Count(request.MaxPositions, 1) {
			s.At = append(s.At, r.Varint())
		}
		t.Skips = append(t.Skips, s)
	}
	for range r.Count(maxCommands, 2) {
		t.Notes = append(t.Notes, request.Note{Text: string(d.bytes()), Count: r.Varint()})
	}
	return p
}

func (d *decoder) fixed() uint64 {
	if b := d.r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
