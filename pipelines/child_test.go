package pipelines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// childCall, in the environment, makes the test's binary a program that carries
// out one call and exits with its code: something that can be killed.
const childCall = "GLMBATCH_TEST_CALL"

// call is one run of the program in a process of its own.
type call struct {
	Spec     string
	Database string // empty: the spec's
	Workers  int
	Commit   bool // of Database, instead of a run
	// Plan is a folder of which the call carries out Shard, or gathers all, instead of a run; or where it plans Spec in
	// Shards.
	Plan     string
	Shards   int
	Shard    int
	Gather   bool
	Draws    string // where Gather puts them
	Spool    bool   // keeps draws on disk from the first block on
	LockWait time.Duration
	// Ask is asked of Database again and again instead, until there is a file Until.
	Ask, Until string
	// KillAt is the look at its context, KillOn the operation on its spool at which the process kills itself; 0: at none.
	KillAt, KillOn int
	// FileSize is the largest size that a file may grow to; 0 for no limit.
	FileSize uint64
}

// carryOut is the child's side. It prints what became of each fit.
func carryOut(text string) (code int) {
	var c call
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	if c.FileSize > 0 {
		limit := syscall.Rlimit{Cur: c.FileSize, Max: c.FileSize}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
	}
	if c.Ask != "" {
		return c.askOn()
	}
	var out *pipelines.Outcome
	var err error
	p := newPoints(c)
	defer p.print()
	switch {
	case c.Shards > 0:
		o := pipelines.PlanOptions{Shards: c.Shards, To: c.Plan}
		o.Database = c.Database
		out = &pipelines.Outcome{}
		_, err = pipelines.PlanNight(p, c.Spec, o)
	case c.Gather:
		out, err = pipelines.Gather(p, c.Plan, pipelines.GatherOptions{Database: c.Database, Draws: c.Draws})
	case c.Plan != "":
		o := pipelines.RunOptions{Workers: 2}
		o.Pass(p.operation)
		out, err = pipelines.RunShard(p, c.Plan, c.Shard, c.Plan+"/scratch", o)
	case c.Commit:
		out, err = pipelines.Commit(p, c.Database, pipelines.CommitOptions{LockWait: c.LockWait})
	default:
		o := pipelines.RunOptions{Workers: c.Workers, LockWait: c.LockWait, Progress: os.Stderr}
		o.Database = c.Database
		o.Pass(p.operation)
		if c.Spool {
			o.Spool()
		}
		out, err = pipelines.Run(p, c.Spec, o)
	}
	if err != nil {
		fmt.Println(err)
		return 100
	}
	fmt.Println(actions(out))
	for _, f := range out.Fits {
		for _, r := range f.Reasons {
			fmt.Println("  " + r)
		}
	}
	if out.Unrecorded != "" {
		fmt.Println("unrecorded: " + out.Unrecorded)
	}
	return out.ExitCode
}

// askOn opens the ledger, asks and closes it until it is stopped, and once more.
func (c call) askOn() (code int) {
	for last := false; ; {
		var answer bytes.Buffer
		if err := pipelines.Query(context.Background(), &answer, c.Database, c.Ask, pipelines.QueryOptions{Format: "csv"}); err != nil {
			fmt.Println(err)
			return 100
		}
		_, row, _ := strings.Cut(answer.String(), "\n")
		fmt.Print(row)
		if last {
			return 0
		}
		_, err := os.Stat(c.Until)
		last = err == nil
	}
}

// process is a child under way.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	out bytes.Buffer
}

func (c call) start(t *testing.T) *process {
	t.Helper()
	text, err := json.Marshal(c)
	must(t, err)
	p := &process{t: t, cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), childCall+"="+string(text))
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	must(t, p.cmd.Start())
	return p
}

// wait returns the exit code, or -1 of a process that was killed.
func (p *process) wait() (code int, out string) {
	_ = p.cmd.Wait() // its code has the result
	return p.cmd.ProcessState.ExitCode(), p.out.String()
}

// run is start and wait.
func (c call) run(t *testing.T) (code int, out string) {
	t.Helper()
	return c.start(t).wait()
}
