package main

import (
	"testing"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/temporal"
)

// Attempts that a server gave up are described by this program's flags.
func TestTimeoutsInWords(t *testing.T) {
	for kind, want := range map[enums.TimeoutType][2]string{
		enums.TIMEOUT_TYPE_HEARTBEAT: {"its worker was silent for longer than --heartbeat",
			"at the last attempt, too, its worker was silent for longer than --heartbeat"},
		enums.TIMEOUT_TYPE_START_TO_CLOSE: {"it lasted longer than --longest", "at the last attempt, too, it lasted longer than --longest"},
	} {
		f := &failure.Failure{Message: "activity timeout", FailureInfo: &failure.Failure_TimeoutFailureInfo{
			TimeoutFailureInfo: &failure.TimeoutFailureInfo{TimeoutType: kind}}}
		if got := said(f); got != want[0] {
			t.Errorf("%v: %q", kind, got)
		}
		if got := reason(temporal.NewTimeoutError(kind, nil)); got != want[1] {
			t.Errorf("%v: %q", kind, got)
		}
	}
	if got := said(&failure.Failure{Message: "exit code 3"}); got != "exit code 3" {
		t.Errorf("%q", got)
	}
}
