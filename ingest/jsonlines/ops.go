package jsonlines

import (
	"bytes"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
)

const (
	// noOperation names the requests of a trace that has no field for operations, noMethod those of an
	// access log whose method is not known.
	noOperation = "READ"
	noMethod    = "?"

	// maxLabels bounds the partitions and tenants that are told apart.
	maxLabels = 1 << 16
)

// newOperations numbers the operations of a trace, or the methods of an access log.
func newOperations(http bool) *names.Operations {
	if http {
		return names.NewOperations(noMethod, anyMethod)
	}
	return names.NewOperations(noOperation, request.TraceOp)
}

// anyMethod is what an HTTP method means, in whatever case the log has it. There is no need to remark on
// those that neither read nor write.
func anyMethod(name []byte) (request.Op, request.Algebra, bool) {
	op, algebra := request.MethodOp(request.MethodNumber(bytes.ToUpper(name)))
	return op, algebra, true
}

// noneSaid is what a request without an operation counts as.
func (d *decoder) noneSaid() names.Operation {
	if d.spec.http {
		return names.Operation{Op: request.Other}
	}
	return names.Operation{Op: request.Read}
}

// newLabels numbers partitions or tenants; number 0 is "", not known. Their length has no limit but that
// of a line.
func newLabels() *names.Labels { return names.NewLabels(maxLabels, request.MaxLine, "") }
