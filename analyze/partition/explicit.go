package partition

// Explicit is the ID of the partitioner whose partitions the input names.
const Explicit = "explicit"

var explicit = Partitioner{
	ID:        Explicit,
	Title:     "partition column of the input",
	Text:      "The input itself says which shard or server answered, in its partition column. That is what happened, so it is worth more than any computed placement. Nothing is computed: a key's partition is known only where the input names it.",
	Source:    "the input",
	Encodings: []Encoding{encUTF8},
	build: func(Options) (plan, error) {
		return plan{
			title: "partitions named by the input",
			place: func([]byte) int { return -1 },
		}, nil
	},
}
