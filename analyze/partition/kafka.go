package partition

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
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

// murmur2 is MurmurHash2 as Kafka has it: seed 0x9747b28c, little-endian blocks of 4 bytes.
func murmur2(key []byte) int32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
		r    = 24
	)
	return int32(murmurHash2(key, seed, m, r))
}

// murmurHash2 is Austin Appleby's MurmurHash2 for 32 bits.
func murmurHash2(key []byte, seed, m uint32, r int) uint32 {
	h := seed ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := binary.LittleEndian.Uint32(key) * m
		k ^= k >> r
		h = h*m ^ k*m
	}
	switch len(key) {
	case 3:
		h ^= uint32(key[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(key[0])) * m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

// murmur3 is MurmurHash3_x86_32 of Austin Appleby.
func murmur3(key []byte, seed uint32) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h, length := seed, uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(key)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	var k uint32
	for i, c := range key {
		k |= uint32(c) << (8 * i)
	}
	h ^= bits.RotateLeft32(k*c1, 15) * c2 // nothing where there is no tail
	h ^= length
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
