package partition

import "fmt"

// New makes a layout of Redis Cluster slots, as one was saved: the fair shares follow from the slots.
func New(partitioner, title string, parts []Partition) (*Layout, error) {
	if partitioner != RedisCluster {
		return nil, fmt.Errorf("no partitioner %q", partitioner)
	}
	if len(parts) == 0 || len(parts) > MaxPartitions {
		return nil, fmt.Errorf("%d partitions: between 1 and %d are possible", len(parts), MaxPartitions)
	}
	for _, p := range parts {
		for _, r := range p.Slots {
			if r.First < 0 || r.Last < r.First || r.Last >= Slots {
				return nil, fmt.Errorf("slots %d to %d", r.First, r.Last)
			}
		}
	}
	plan, err := slotPlan(title, parts)
	if err != nil {
		return nil, err
	}
	return newLayout(redisCluster, Options{Encoding: encUTF8.ID}, plan), nil
}
