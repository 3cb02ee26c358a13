package run

import (
	"testing"

	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/outcome"
)

// An interruption outweighs uncommitted fits, and these a failure; a run that was stopped reports that whatever its
// fits are. The test is here because one in the package of outcomes would link the engine for itself.
func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		fits    []*outcome.Result
		stopped bool
		want    int
	}{
		{nil, false, exit.Pass},
		{nil, true, exit.Interrupted},
		{[]*outcome.Result{{Action: outcome.Computed, Verdict: "pass"}, {Action: outcome.Skipped, Verdict: "warn"}}, false, exit.Pass},
		{[]*outcome.Result{{Action: outcome.Computed, Verdict: "pass"}, {Action: outcome.Skipped, Verdict: "fail"}}, false, exit.Fail},
		{[]*outcome.Result{{Action: outcome.Errored, Verdict: "error"}, {Action: outcome.Computed, Verdict: "pass"}}, false, exit.Fail},
		{[]*outcome.Result{{Action: outcome.Uncommitted}, {Action: outcome.Errored, Verdict: "error"}}, false, exit.Uncommitted},
		{[]*outcome.Result{{Action: outcome.Interrupted}, {Action: outcome.Uncommitted}}, false, exit.Interrupted},
		{[]*outcome.Result{{Action: outcome.Errored, Verdict: "error"}}, true, exit.Interrupted},
		{[]*outcome.Result{{Action: outcome.Planned, Verdict: "fail"}}, false, exit.Pass},
	} {
		o := &outcome.Outcome{Fits: c.fits}
		if o.Complete(c.stopped); o.ExitCode != c.want {
			t.Errorf("exit code %d, want %d", o.ExitCode, c.want)
		}
	}
}
