package partition

// Stores whose partitions nobody outside can compute. They are listed so that asking for them gets the
// reason and what to do instead.

var dynamoDB = refused("dynamodb", "Amazon DynamoDB",
	"the hash of the partition key is internal, and partitions split by size and by heat without telling. Without a partitioner each hot key is judged on its own, as if it had a partition for itself, which is the best case",
	"Amazon DynamoDB developer guide, \"Partitions and data distribution\" and \"Burst and adaptive capacity\"")

var cosmosDB = refused("cosmosdb", "Azure Cosmos DB",
	"the service hashes the partition key to physical partitions whose ranges it changes and does not publish. The metric Normalized RU Consumption by PartitionKeyRangeId shows them; with that ID as a column of the input, use explicit",
	"Azure Cosmos DB documentation, \"Partitioning and horizontal scaling\"")

var firestore = refused("firestore", "Cloud Firestore",
	"it keeps documents in ranges of their names and splits them by load without publishing where. What matters there is one document, and names in order of time: keyskew reports both without a partitioner",
	"Cloud Firestore documentation, \"Best practices\" and \"Understand reads and writes at scale\"")

var spanner = refused("spanner", "Cloud Spanner",
	"it splits ranges of primary keys by size and load without publishing where. With split points that were added by hand, write them as a key-ranges file and use ranges",
	"Cloud Spanner documentation, \"Schema and data model\", section \"Database splits\"")

func refused(id, title, reason, source string) Partitioner {
	return Partitioner{
		ID: id, Title: title + " (cannot be computed)", Source: source,
		Text:      "Not computed: " + reason + ".",
		Refusal:   reason,
		Encodings: []Encoding{encUTF8},
	}
}
