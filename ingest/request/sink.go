package request

// Sink takes the batches of one chunk of one input, in file order. A batch is the sink's until Add
// returns; then its owner fills it anew.
type Sink interface {
	Add(*Batch)
}

// Folder makes the sinks and folds finished ones into the answer.
//
// NewSink may be called from several goroutines at once. Fold is called from one goroutine, once for
// every sink, in chunk order; it may recycle the sink.
type Folder interface {
	NewSink(input int) Sink
	Fold(Sink) error
}
