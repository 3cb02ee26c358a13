// Command glmbatch-temporal runs sharded runs of the program pipeline as workflows of a Temporal server.
//
//	glmbatch-temporal worker                    draws shards, on each machine that has the folder of runs
//	glmbatch-temporal night SPEC --to DIR       plans, draws and gathers one run, and waits for it
//	glmbatch-temporal night DIR                 resumes a planned run
//	glmbatch-temporal schedule SPEC --cron …    starts a run at each time
//	glmbatch-temporal progress ID               prints the progress of a run
//	glmbatch-temporal cancel ID                 ends a run in order; finished shards stay finished
//
// A shard is one process of pipeline, which knows nothing of Temporal: this module of its own knows the program by its
// verbs, files and exit codes alone, and nothing imports it. Draws depend on seed and names, so that two attempts
// of one shard, even at the same time, are equal.
//
// Read night.go, then block.go, then activities.go, process.go, sysproc_linux.go and sysproc_other.go, then main.go,
// command.go and progress.go.
package main
