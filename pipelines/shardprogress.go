package pipelines

import (
	"time"

	"glmbatch/pipelines/internal/shard"
)

// ShardState is the state of a shard.
type ShardState = shard.State

// ShardProgress is the progress of a sharded run.
type ShardProgress struct {
	Run    string         `json:"run"`
	Dir    string         `json:"dir"`
	Shards map[string]int `json:"shards"` // by state
	Fits   int            `json:"fits"`
	Done   int            `json:"done"`
	Failed int            `json:"failed"` // of those that are done
	// SecondsLeft is the longest estimate of a running shard; nil if there is none.
	SecondsLeft *float64     `json:"seconds_left"`
	States      []ShardState `json:"states"`
}

// ShardStates lists the states of shards in the order in which they are shown.
func ShardStates() []string { return shard.States() }

// ProgressOf returns the progress of the sharded run that was planned into dir, by the files there at the time now.
// Cost: it reads the plan and two small files for each shard.
func ProgressOf(dir string, now time.Time) (*ShardProgress, error) {
	night, p, only, err := thaw(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := night.Manifest(p, only)
	if err != nil {
		return nil, &UsageError{err}
	}
	out := &ShardProgress{Run: night.Run, Dir: dir, Shards: map[string]int{}, Fits: night.Total()}
	for _, state := range shard.States() {
		out.Shards[state] = 0
	}
	for i := range night.Shards() {
		s := manifest.State(dir, i, now)
		out.Shards[s.State]++
		out.Done, out.Failed = out.Done+s.Done, out.Failed+s.Failed
		if left := s.SecondsLeft; s.State == shard.Active && left != nil &&
			(out.SecondsLeft == nil || *left > *out.SecondsLeft) {
			out.SecondsLeft = left
		}
		out.States = append(out.States, s)
	}
	return out, nil
}
