package main

import (
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// A run that a server has seen continues under this code: each step of its history is one that the workflow still
// takes. A change that this test finds needs workflow.GetVersion, or workers that are replaced between nights.
//
// testdata/night.json is "temporal workflow show -o json" of a night of three shards, without names of machines.
func TestReplay(t *testing.T) {
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(Night, workflow.RegisterOptions{Name: "Night"})
	if err := r.ReplayWorkflowHistoryFromJSONFile(quiet, "testdata/night.json"); err != nil {
		t.Error(err)
	}
}
