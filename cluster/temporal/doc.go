// Command glmbatch-temporal carries out nights of the program pipeline as workflows of a Temporal server.
//
//	glmbatch-temporal worker                    carries out shards, on each machine that has the folder of nights
//	glmbatch-temporal night SPEC --to DIR       plans, carries out and gathers one night, and waits for it
//	glmbatch-temporal night DIR                 goes on with a planned night
//	glmbatch-temporal schedule SPEC --cron …    starts a night at each time
//	glmbatch-temporal progress ID               says how far a night is
//	glmbatch-temporal cancel ID                 ends a night in order; what is done stays done
//
// A shard is one process of pipeline, which knows nothing of Temporal: this module of its own knows the program by its
// verbs, files and exit codes alone, and nothing imports it. Draws depend on seed and names, so that two attempts
// of one shard, even at the same time, are equal.
//
// Read night.go, then block.go, then activities.go, process.go, sysproc_linux.go and sysproc_other.go, then main.go,
// command.go and progress.go.
package main
