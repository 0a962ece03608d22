package partition

import (
	"fmt"
	"hash/crc32"
)

var (
	kafkaMurmur2 = kafka("kafka-murmur2", "Kafka, murmur2 (Java clients)",
		"The default for records with a key of the Java client, Kafka Streams, Connect, kafka-python, franz-go and KafkaJS 2: partition = (murmur2(key) & 0x7fffffff) mod partitions.",
		"Apache Kafka, Utils.java (murmur2, toPositive) and BuiltInPartitioner.java",
		func(key []byte, n int) int { return int(uint32(murmur2(key))&0x7fffffff) % n })
	kafkaCRC32 = kafka("kafka-crc32", "Kafka, CRC-32 (librdkafka)",
		"consistent_random, the default of librdkafka and of what is built on it (confluent-kafka for Python, Go and .NET, node-rdkafka, PHP): partition = CRC-32(key) mod partitions. A record with an empty key goes to any partition, so empty keys are not placed.",
		"librdkafka, rdkafka_msg.c (rd_kafka_msg_partitioner_consistent_random)",
		func(key []byte, n int) int {
			if len(key) == 0 {
				return -1
			}
			return int(crc32.ChecksumIEEE(key) % uint32(n))
		})
	kafkaFNV1a = kafka("kafka-fnv1a", "Kafka, FNV-1a (Sarama, kafka-go)",
		"NewHashPartitioner, the default of Sarama, and Hash of kafka-go: partition = FNV-1a-32(key), as a signed number, rest mod partitions, its sign dropped. A trace does not tell an empty key from none, which goes to any partition, so empty keys are not placed.",
		"IBM/sarama, partitioner.go; segmentio/kafka-go, balancer.go",
		func(key []byte, n int) int {
			if len(key) == 0 {
				return -1
			}
			at := int(int32(fnv1a32(key))) % n
			if at < 0 {
				at = -at
			}
			return at
		})
	kafkaFNV1aReference = kafka("kafka-fnv1a-reference", "Kafka, FNV-1a with the sign bit cleared (Sarama)",
		"NewReferenceHashPartitioner of Sarama and ReferenceHash of kafka-go: partition = (FNV-1a-32(key) & 0x7fffffff) mod partitions. Empty keys are not placed, as with kafka-fnv1a.",
		"IBM/sarama, partitioner.go; segmentio/kafka-go, balancer.go",
		func(key []byte, n int) int {
			if len(key) == 0 {
				return -1
			}
			return int(fnv1a32(key)&0x7fffffff) % n
		})
)

// kafka is the partitioner of one family of Kafka clients; choose places a serialized key on one of n
// partitions.
func kafka(id, title, text, source string, choose func(key []byte, n int) int) Partitioner {
	return Partitioner{
		ID: id, Title: title, Source: source,
		Text: text + " The key is hashed as its serializer wrote it: name the key encoding where it is no text. " +
			"Records without a key, and records for which the application chose the partition, lie elsewhere.",
		Encodings:  []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex, encBase64},
		Params:     []Param{{"topic", "the topic, where the topology file describes several"}},
		Shards:     "partition",
		Topologies: []string{"kafka-topics"},
		build: func(o Options) (plan, error) {
			n, parts, of := o.Shards, numbered(o.Shards), ""
			if o.Map != nil {
				topic, err := o.Map.topic(o.Params["topic"])
				if err != nil {
					return plan{}, err
				}
				n, parts, of = topic.Partitions, numbered(topic.Partitions), " of the topic "+topic.Name
				for i, leader := range topic.Leaders {
					if leader != "" {
						parts[i].Node = "broker " + leader
					}
				}
			} else if o.Params["topic"] != "" {
				return plan{}, fmt.Errorf("topic=%s: there is no topology file to look it up in", o.Params["topic"])
			}
			return plan{
				title: title + ", " + count(n, "partition") + of,
				parts: parts,
				place: func(key []byte) int { return choose(key, n) },
			}, nil
		},
	}
}
