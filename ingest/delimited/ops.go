package delimited

import (
	"bytes"
	"strings"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
)

// noOperation is the name of requests in a table without a column of operations.
const noOperation = "READ"

const noteNoOperation = "no operation column: every request counts as a read"

// newOperations numbers the operations of a table; words, in lower case, have a meaning of their own in a
// known trace.
func newOperations(words map[string]request.Op) *names.Operations {
	return names.NewOperations(noOperation, func(name []byte) (request.Op, request.Algebra, bool) {
		if op, ok := words[strings.ToLower(string(name))]; ok {
			return op, 0, true
		}
		return meaning(name)
	})
}

// meaning looks an operation up: a word, or a SCSI operation code of a block trace (28 READ(10) and 2a
// WRITE(10) and their longer and shorter forms, SCSI Block Commands).
func meaning(name []byte) (request.Op, request.Algebra, bool) {
	switch strings.ToLower(string(name)) {
	case "28", "88", "a8", "08":
		return request.Read, 0, true
	case "2a", "8a", "aa", "0a":
		return request.Write, request.Overwrite, true
	}
	return request.TraceOp(name)
}

// isOperation says that a cell is a word (or code of a block trace) for an operation. Digits alone are
// not taken for one.
func isOperation(cell []byte) bool {
	_, _, ok := meaning(bytes.TrimSpace(cell))
	return ok && !numeric(cell)
}

// maxLabels bounds the partitions and tenants of an input that are told apart, far above what they come
// to.
const maxLabels = 1 << 18

// newLabels numbers the labels of a column; 0 is none. Long ones are cut to the length of keys that are
// kept.
func newLabels() *names.Labels { return names.NewLabels(maxLabels, request.MaxKey, "") }

// label returns the number of a partition or a tenant.
func label(l *names.Labels, cell []byte) uint32 {
	if len(cell) == 1 && cell[0] == '-' {
		return 0
	}
	return l.Of(cell)
}

// readBatch makes the batch of a trace of which every request is a read.
func readBatch(c request.Columns) *request.Batch {
	b := request.NewBatch(batchRows, c)
	b.Names = []string{noOperation}
	return b
}
