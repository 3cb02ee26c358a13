package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

const usage = `glmbatch-mirror carries nights of pipeline through an object store.

  glmbatch-mirror plan   [flags] s3://bucket/night SPEC --shards N   puts the plan of a night there
  glmbatch-mirror run    [flags] s3://bucket/night                   carries out a shard
  glmbatch-mirror gather [flags] s3://bucket/night                   brings the fragments down and gathers them

What follows the name of the night goes to pipeline. Exit codes are those of pipeline; 3 also where the store fails.

`

// command parses a call and carries it out.
func command(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("glmbatch-mirror", flag.ContinueOnError)
	program := flags.String("pipeline", "pipeline", "the program")
	scratch := flags.String("scratch", os.TempDir(), "folder of this machine for plans, spools and fragments")
	index := flags.Int("shard", -1, "shard to carry out (default: SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or "+
		"AWS_BATCH_JOB_ARRAY_INDEX)")
	every := flags.Duration("every", 10*time.Second, "time between two looks at the spool")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	if verb != "plan" && verb != "run" && verb != "gather" {
		flags.Usage()
		return exitUsage
	}
	if flags.Parse(args) != nil {
		return exitUsage
	}
	m := &mirror{program: *program, scratch: *scratch, every: max(*every, time.Millisecond), stderr: os.Stderr}
	var err error
	if m.store, err = openStore(flags.Arg(0)); err != nil {
		m.say("%v", err)
		return exitUsage
	}
	var rest []string
	if flags.NArg() > 1 {
		rest = flags.Args()[1:]
	}
	code := exitUsage
	switch verb {
	case "plan":
		code, err = m.plan(ctx, rest)
	case "run":
		if *index < 0 {
			*index, err = strconv.Atoi(first("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"))
		}
		if err != nil {
			err = fmt.Errorf("run needs --shard")
		} else {
			code, err = m.run(ctx, *index, rest)
		}
	case "gather":
		code, err = m.gather(ctx, rest)
	}
	if err != nil {
		m.say("%v", err)
	}
	return code
}
