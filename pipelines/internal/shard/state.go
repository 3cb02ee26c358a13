package shard

import (
	"encoding/json"
	"os"
	"time"

	"glmbatch/pipelines/internal/outcome"
)

// The states of a shard.
const (
	Complete   = "done"       // its fragment has every planned fit
	Incomplete = "incomplete" // its fragment has planned fits without data; the shard is to be run again
	Unusable   = "unusable"   // its fragment is of another run or shard, or has no outcome; the shard is to be run again
	Active     = "running"
	Silent     = "silent" // it was running, and has reported nothing for SilentAfter
	Waiting    = "waiting"
)

// States lists the states in the order in which they are shown.
func States() []string { return []string{Complete, Active, Waiting, Silent, Incomplete, Unusable} }

// SilentAfter is the time without a report after which a shard that was running is silent. A shard reports every few
// seconds.
const SilentAfter = time.Minute

// State is the state of a shard, and its progress.
type State struct {
	Progress
	State string `json:"state"`
	// Why is the reason if the state is incomplete or unusable; else empty.
	Why string `json:"why,omitempty"`
}

// State returns the state of a shard, by the files in dir. It reads no draws: Gather checks those.
func (m *Manifest) State(dir string, i int, now time.Time) State {
	s := State{Progress: Progress{Shard: i}, State: Waiting}
	text, err := os.ReadFile(progressFile(dir, i))
	if err == nil && json.Unmarshal(text, &s.Progress) == nil && !s.Updated.IsZero() {
		if s.State = Active; now.Sub(s.Updated) > SilentAfter {
			s.State = Silent
		}
	}
	s.Shard, s.Fits = i, len(m.fits[i])
	out, err := Done(dir, i)
	if out == nil && err == nil {
		return s
	}
	s.SecondsLeft, s.Running = nil, nil
	if err == nil {
		err = m.outcome(i, out)
	}
	switch {
	case err != nil:
		s.State, s.Done, s.Failed = Unusable, 0, 0
	case incomplete(out) != nil:
		s.State, err = Incomplete, incomplete(out)
		s.count(out)
	default:
		s.State = Complete
		s.count(out)
	}
	if err != nil {
		s.Why = "it " + err.Error()
	}
	return s
}

// count counts the fits of an outcome that are done, and those of them that failed or erred. Fits without data are not
// done.
func (s *State) count(out *outcome.Outcome) {
	s.Done, s.Failed = 0, 0
	for _, f := range out.Fits {
		if f.LacksData {
			continue
		}
		s.Done++
		if f.Verdict == "fail" || f.Verdict == "error" {
			s.Failed++
		}
	}
}
