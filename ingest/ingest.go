// Package ingest reads inputs. Files, pipes and packed files enter; batches of requests leave, in input
// order, into the sinks of a request.Folder, and with them a Stats per input that accounts for every
// byte and every line.
//
// The way of the bytes:
//
//  1. open a file, a pipe or standard input (source.go);
//  2. undo packings, told by their first bytes (unpack.go, zip.go);
//  3. tell the format by the first 64 KiB, or refuse the input with the reason (detect.go, format.go);
//  4. cut into blocks of whole records (cut.go);
//  5. decode the blocks in parallel workers, one sink and one tally a block, leave out what the filters
//     do not want (filter_sink.go), and fold both in block order (reader.go, read.go).
//
// What comes out depends on the bytes alone: not on the number of workers, the size of a block, the
// packing, or how the bytes arrive.
package ingest

import (
	"context"
	"fmt"
	"io"

	"keyskew/ingest/request"
)

// Input is one thing to read.
type Input struct {
	// Name is printed in messages and reports; empty means Path.
	Name string
	// Path is a file, a named pipe or a device; "-" is standard input.
	Path string
	// Node says that the input is the capture of one node, named by Name: what the nodes saw in the same
	// time belongs together.
	Node bool
}

func (in Input) name() string {
	if in.Name != "" {
		return in.Name
	}
	return in.Path
}

// Options say how to read. The zero value detects the format and uses every core.
type Options struct {
	// Format is the ID of the format of all inputs; "" detects it for each.
	Format string
	// Select says which part of a record is what, where the user knows better than detection.
	Select request.Select
	// Filter says which requests are wanted.
	Filter Filter
	// BlockSize is how many bytes a worker gets at a time: 256 KiB by default, at most request.MaxLine.
	// Results never depend on it.
	BlockSize int
	// Workers is how many blocks are decoded at once: by default one a core. Results never depend on it.
	Workers int
	// Strict stops at the first bad line.
	Strict bool
	// Stdin is what "-" reads. When reading is stopped while the writer is silent, one Read of it is
	// left waiting in the background: nothing else should read from it afterwards.
	Stdin io.Reader
	// Progress, if set, is called about ten times a second and once at the end, by the goroutine that
	// called Read.
	Progress func(Progress)
}

// Progress says how far reading has come.
type Progress struct {
	// Input is the name of the input that is being read.
	Input string
	// Read and Size are bytes as stored (packed). Size is -1 where it is not known (pipes).
	Read, Size int64
	// Requests is how many requests were decoded and folded so far, of all inputs.
	Requests int64
}

// Stats says what one input was and what it held.
type Stats struct {
	Name string
	// Format is the ID of the format; "" when the input was empty, or gave no hint before it ended.
	Format string
	// Framing says how the records were wrapped, in words, where a format has several ways.
	Framing string
	// Mapping says which part of a record was used for what.
	Mapping []request.Mapped
	// Packing is "", "gzip", "zstd", or for two layers "zstd in gzip" (the outer one last).
	Packing string
	// Confidence is the share of the lines in the first 64 KiB that look like the format, 0 to 1.
	Confidence float64
	// Cut is set when Filter.Head records were read, and so nothing behind them.
	Cut bool
	// Bytes were read from the input; Unpacked is how many they were after unpacking. After a stop,
	// Unpacked ends with the last whole line; after a Cut with the last record, and what Bytes says of a
	// packed input then depends on how it arrived.
	Bytes, Unpacked int64
	// Tally counts what was decoded, before any filter. Filtered says what of it was then left out.
	Tally    request.Tally
	Filtered []Filtered
	// Truncated is set when the input ended inside an archive member or inside its last record.
	Truncated bool
	// Err is a *ParseError when the input broke off inside (what came before is counted), another error
	// when it could not be read at all, and nil otherwise.
	Err error
}

// ParseError is a failure at one place of an input.
type ParseError struct {
	Input string
	// Line counts from 1; 0 means that it is not known.
	Line int64
	// Offset is in bytes of the unpacked input; it says where when Line is 0.
	Offset int64
	Format string
	Reason string
	// Err is the cause, if there is one beside the reason.
	Err error
}

// Error returns "file:line: reason", or "file: at byte N: reason" where the line is not known.
func (e *ParseError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Input, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s: at byte %d: %s", e.Input, e.Offset, e.Reason)
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// Read reads all inputs in order into the folder; stats[i] is about inputs[i].
//
// An empty input is a valid one with no lines: its Format stays what Options asked for, so the caller
// decides what it means. Bad lines are counted and skipped, and an input that breaks off inside is
// counted up to there (Stats.Err). With Strict the first bad line ends everything: its position is in
// Stats.Err, and the counts then reach to the end of its block.
//
// Cancelling ctx stops reading at once, also while a pipe is silent: the whole lines that were read are
// folded and counted, and stopped is true.
//
// err names every input that could not be opened or was refused (errors.Join); the others are read all
// the same. It is also set when a Fold failed, which ends everything, and for an unknown Format.
func Read(ctx context.Context, inputs []Input, o Options, f request.Folder) (stats []Stats, stopped bool, err error) {
	o.Select.Databases = o.Filter.databases()
	return read(ctx, inputs, o, f, Formats())
}
