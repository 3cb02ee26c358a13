// Command glmbatch-mirror carries nights of the program pipeline through an object store, for machines that share no
// folder.
//
//	glmbatch-mirror plan s3://bucket/night SPEC --shards N …   plans a night, and puts the plan into the store
//	glmbatch-mirror run --shard i s3://bucket/night …          carries out a shard, and puts its fragment there
//	glmbatch-mirror gather s3://bucket/night …                 brings the fragments down and gathers them
//
// The arguments after the name of the run go to the command of pipeline. That process has no access to a store:
// this module uses the program through its commands, files and exit codes alone, and nothing imports it.
//
// While a shard is drawn, whole frames of its spool go up as segments, under the number of the attempt, its
// generation. An attempt on another machine begins with the segments of the newest generation. Objects are never
// written twice: the few names that two attempts could both want (a generation, the end of a shard, the night) are
// made by conditional puts, and all others have the generation or their own hash in the name. So a slow attempt
// that was thought dead writes next to the new one, and neither changes what the other reads.
//
// Read store.go (names that are made once), frame.go (whole frames), generation.go (attempts and what they begin with),
// watch.go (from the spool to the store), process.go with sysproc_linux.go and sysproc_other.go, then night.go and
// main.go.
package main
