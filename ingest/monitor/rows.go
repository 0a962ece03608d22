package monitor

import (
	"keyskew/ingest/rediscmd"
	"keyskew/ingest/request"
)

// call turns one command into rows. With broken >= 0 the arguments from that one on are not to be
// trusted; call reports false, and adds nothing, when the command or a key is among them.
func (d *decoder) call(p parsed, broken int, at place) bool {
	var call rediscmd.Call
	call, d.touches = rediscmd.Resolve(p.Argv, !d.options.SkipUnknown, d.touches)
	if broken >= 0 && !d.trust(p.Argv, broken, at.dropped > 0) {
		return false
	}
	if broken >= 0 && at.dropped == 0 {
		d.tally.Note(noteDamaged, 1)
	}
	row := request.Row{Command: call.ID, Offset: at.offset, Time: p.Time}
	if !call.Known {
		known := d.names.of(p.Argv[0])
		row.Command = known.id
		d.tally.Note(known.note(len(d.touches) > 0), 1)
	}
	if p.Kind == Lua {
		d.scriptCall(p.Argv, row, at)
		return true
	}
	if len(p.Origin) > 0 {
		row.Client = request.Hash(hostOf(p.Origin))
	}
	row.Flags = request.BeginsCommand
	if call.Script && scriptCalls(at.rest) {
		row.Flags |= request.NoKey
		d.script = script{running: true, client: row.Client, held: true, row: row}
		if len(d.touches) > 1 {
			d.script.together = request.TogetherKeys
		}
		return true
	}
	if len(d.touches) == 0 {
		row.Flags |= request.NoKey
		d.add(row)
		return true
	}
	d.keyRows(p.Argv, row, at.dropped)
	return true
}

// trust takes the touches apart for a line whose argument broken is damaged or cut, and reports whether
// the line can be used. Of a line that was too long, a cut key is used when the part that is there is
// longer than what is kept of a key anyway.
func (d *decoder) trust(argv [][]byte, broken int, tooLong bool) bool {
	if broken == 0 {
		return false
	}
	n := len(d.touches)
	if n == 0 {
		return tooLong || broken > 1
	}
	if d.touches[n-1].Arg < broken {
		return true
	}
	if tooLong && len(argv[broken]) <= request.MaxKey {
		d.touches = d.touches[:n-1]
	}
	return tooLong
}

// scriptCall adds the rows of a call made by a script: they belong to the script's command.
func (d *decoder) scriptCall(argv [][]byte, row request.Row, at place) {
	if !d.script.running {
		d.tally.Note(noteOrphans, 1)
	}
	if d.script.held && len(d.touches) > 0 {
		// The script's command goes where its first key goes.
		d.script.held = false
		d.script.row.Flags = request.NoKey
		d.add(d.script.row)
		row.Flags = request.BeginsCommand
	}
	row.Client = d.script.client
	for i := range d.touches {
		t := &d.touches[i]
		if t.Op == request.Poll {
			// A blocking command does not wait inside a script.
			t.Op = request.Read
			if t.Algebra&^request.TogetherKeys != 0 {
				t.Op = request.Write
			}
		}
		t.Algebra |= d.script.together
	}
	d.keyRows(argv, row, at.dropped)
}

// endScript ends a run of script calls. A script of whose calls none touched a key is a command without
// a key.
func (d *decoder) endScript() {
	if d.script.held {
		d.add(d.script.row)
	}
	d.script = script{}
}

// keyRows adds one row for each touch; the flags of row go to the first. The bytes of the arguments are
// shared out: a key gets its own and those up to the next key, the first key also those in front of it,
// the last one also what was left out of the line (an int64, so the sum cannot wrap).
func (d *decoder) keyRows(argv [][]byte, row request.Row, dropped uint64) {
	from := 1
	row.Keys = 1
	if row.Flags&request.BeginsCommand != 0 && !d.script.running {
		row.Keys = uint16(min(len(d.touches), 1<<16-1))
	}
	for i, t := range d.touches {
		to := len(argv)
		row.Size = 0
		if i+1 < len(d.touches) {
			to = d.touches[i+1].Arg
		} else {
			row.Size = dropped
		}
		for ; from < to; from++ {
			row.Size += uint64(len(argv[from]))
		}
		row.Op, row.Algebra = t.Op, t.Algebra
		if d.options.Replica && t.Op == request.Write {
			row.Algebra |= request.Replicated
		}
		row.Key = d.tally.Keep(argv[t.Arg], &d.longKey)
		d.add(row)
		row.Flags = 0
	}
}

func (d *decoder) add(row request.Row) {
	d.batch.Append(&row)
	if d.batch.Len() == batchRows {
		d.flush()
	}
}

func (d *decoder) flush() {
	if d.batch.Len() == 0 {
		return
	}
	d.batch.Names = d.names.list
	d.sink.Add(d.batch)
	d.batch.Reset()
}
