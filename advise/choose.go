package advise

import (
	"fmt"
	"slices"

	"keyskew/advise/fix"
	"keyskew/analyze"
	"keyskew/ingest/request"
)

// preference is the order in which remedies are taken, by what the key's requests mostly are. A mixed
// key takes the one that lowers the busiest partition the most.
func preference(c analyze.Class) []string {
	switch c {
	case analyze.ReadClass:
		return []string{"cache", "replicate", "split", "isolate"}
	case analyze.WriteClass:
		return []string{"split", "isolate", "cache", "replicate"}
	default:
		return []string{"cache", "split", "replicate", "isolate"}
	}
}

// helps is how much of its partition's load a remedy that does not pass must take away to be worth its
// cost, counting the partitions that receive it.
const helps = 0.10

// choose takes the first remedy of the preference that passes; else the one that lowers the busiest
// partition it touches the most, if by enough; else none.
func choose(class analyze.Class, home float64, tried []option) *option {
	var best *option
	order := preference(class)
	for _, passing := range []bool{true, false} {
		for _, id := range order {
			i := slices.IndexFunc(tried, func(o option) bool { return o.id == id })
			if i < 0 || !tried[i].e.Feasible || tried[i].e.Passes != passing {
				continue
			}
			o := &tried[i]
			switch {
			case passing && class != analyze.MixedClass:
				return o
			case !passing && home-o.touched < helps*home:
			case best == nil || better(o, best):
				best = o
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// better compares the busiest partition, within 1% the number of commands.
func better(a, b *option) bool {
	switch x, y := a.touched, b.touched; {
	case x < 0.99*y:
		return true
	case y < 0.99*x:
		return false
	default:
		return a.after.OpsPerRequest < b.after.OpsPerRequest*(1-1e-9)
	}
}

// reason says why a remedy was not chosen, in numbers.
func reason(c fix.Case, o, chosen *option, why string) string {
	switch {
	case o.e.Reason != "":
		return o.e.Reason
	case chosen == nil:
		return why
	}
	text := fmt.Sprintf("would do: its busiest shard at %s, %s commands per request (%s: %s, %s)",
		level(c, o.touched), fix.Number(o.after.OpsPerRequest),
		chosen.id, level(c, chosen.touched), fix.Number(chosen.after.OpsPerRequest))
	if o.id == "replicate" && chosen.id == "cache" {
		text += "; take it where the application may not serve stale data"
	}
	return text
}

func level(c fix.Case, load float64) string {
	if c.Cluster.Capacity > 0 {
		return fix.Percent(load / c.Cluster.Capacity)
	}
	return fix.Number(load) + " req/s"
}

// overwritten reports values of which only the last write counts.
func overwritten(k analyze.Key) bool {
	return k.Algebra&(request.Overwrite|request.OverwriteDoc|request.OverwriteHash) != 0
}

// hopeless is the title where none of the four remedies relieves a key.
func hopeless(k analyze.Key) string {
	switch {
	case overwritten(k):
		return "None of the four remedies relieves it: write it less often (coalesce or buffer its writes in the application)"
	case k.Algebra&(request.Cond|request.CondSum) != 0:
		return "None of the four remedies relieves it: use a finer lock, or retry it less often (a lock is never split)"
	default:
		return "None of the four remedies relieves it: send fewer requests for it, or store it in several keys by design"
	}
}

// confidence is high where the capacity is known for sure, the remedy passes, and nothing that it
// hangs on is assumed; each of those missing takes one step.
func (p *planner) confidence(k analyze.Key, c fix.Case, chosen *option) string {
	steps := 0
	if !p.d.Capacity.Firm() {
		steps++
	}
	if !chosen.e.Passes {
		steps++
	}
	pieces := chosen.id == "split" || chosen.id == "replicate"
	if pieces && (c.Place == nil || c.Cluster.Open) {
		steps++
	}
	// A hundred servers would change little where they read a tenth of what it has now.
	if chosen.e.Params.TTL > 0 && p.o.Servers <= 0 && 100/p.o.TTL > c.Load.Reads/10 {
		steps++
	}
	if k.Peak.Upper > 0 && k.Peak.Lower < 0.8*k.Peak.Upper {
		steps++
	}
	return []string{"high", "medium", "low"}[min(steps, 2)]
}
