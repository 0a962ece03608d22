package partition

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

var kafkaTopics = Topology{
	ID:      "kafka-topics",
	Title:   "kafka-topics --describe",
	Text:    "what `kafka-topics.sh --describe` prints: topics with their number of partitions, and the leader of each. Partitions that are not listed have no leader here; their number is that of PartitionCount.",
	Source:  "Apache Kafka, TopicCommand",
	Default: "kafka-murmur2",
	is: func(text []byte) bool {
		return anyLine(text, func(line string) bool {
			return describedTopic.MatchString(line) && (describedCount.MatchString(line) || describedPartition.MatchString(line))
		})
	},
	parse: parseKafkaTopics,
}

// The fields of a line; early versions have no space behind the colon.
var (
	describedTopic     = regexp.MustCompile(`\bTopic:\s*(\S+)`)
	describedCount     = regexp.MustCompile(`\bPartitionCount:\s*(\S+)`)
	describedPartition = regexp.MustCompile(`\bPartition:\s*(\S+)`)
	describedLeader    = regexp.MustCompile(`\bLeader:\s*(\S+)`)
)

func parseKafkaTopics(text []byte, m *Map) error {
	index, described := map[string]int{}, map[string]int{}
	err := eachLine(text, func(number int, line string) error {
		topic := submatch(describedTopic, line)
		if topic == "" {
			return lineError(number, "this is no line of kafka-topics --describe")
		}
		at, known := index[topic]
		if text := submatch(describedCount, line); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > MaxPartitions {
				return lineError(number, "PartitionCount is %q: want 1 to %d", text, MaxPartitions)
			}
			if known {
				return lineError(number, "the topic %s begins again", topic)
			}
			index[topic] = len(m.Topics)
			m.Topics = append(m.Topics, Topic{Name: topic, Partitions: n, Leaders: make([]string, n)})
			return nil
		}
		if !known {
			return lineError(number, "no line with the PartitionCount of the topic %s before it", topic)
		}
		text := submatch(describedPartition, line)
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= m.Topics[at].Partitions {
			return lineError(number, "%q is no partition of the topic %s, which has %d", text, topic, m.Topics[at].Partitions)
		}
		place := topic + " " + text
		if described[place] > 0 {
			return lineError(number, "partition %d of the topic %s is in line %d already", n, topic, described[place])
		}
		described[place] = number
		if leader := submatch(describedLeader, line); leader != "none" && leader != "-1" {
			m.Topics[at].Leaders[n] = leader
		}
		return nil
	})
	if err == nil && len(m.Topics) == 0 {
		err = errors.New("no line with a PartitionCount in it")
	}
	return err
}

// submatch is the first group of a match, "" for none.
func submatch(re *regexp.Regexp, line string) string {
	found := re.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return strings.TrimSpace(found[1])
}
