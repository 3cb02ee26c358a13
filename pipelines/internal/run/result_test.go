package run

import (
	"testing"

	"glmbatch/pipelines/internal/exit"
)

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		fits []*Result
		want int
	}{
		{nil, exit.Pass},
		{[]*Result{{Action: Computed, Verdict: "pass"}, {Action: Skipped, Verdict: "warn"}}, exit.Pass},
		{[]*Result{{Action: Computed, Verdict: "pass"}, {Action: Skipped, Verdict: "fail"}}, exit.Fail},
		{[]*Result{{Action: Errored, Verdict: "error"}, {Action: Computed, Verdict: "pass"}}, exit.Fail},
		{[]*Result{{Action: Uncommitted}, {Action: Errored, Verdict: "error"}}, exit.Uncommitted},
		{[]*Result{{Action: Interrupted}, {Action: Uncommitted}}, exit.Interrupted},
	} {
		if got := exitCode(c.fits); got != c.want {
			t.Errorf("exit code %d, want %d", got, c.want)
		}
	}
}
