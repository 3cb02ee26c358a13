package pipelines_test

import (
	"context"
	"sync"

	"glmbatch/pipelines"
)

// countdown is a context that is cancelled when it has been looked at a number
// of times: a place in the work, whatever the machine's speed.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		close(c.done)
	}
	if c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// stopAndGoOn runs spec.yaml until it is through, each run stopped after some number of
// looks at its context, not of seconds: looks in the first run, twice as many in the
// next. It returns how many were stopped, two at least.
func (f folder) stopAndGoOn(looks int) (stopped int) {
	f.t.Helper()
	for try := 1; try < 200; try++ {
		ctx := &countdown{Context: f.t.Context(), done: make(chan struct{}), left: looks * try}
		out, err := pipelines.Run(ctx, f.path("spec.yaml"), pipelines.RunOptions{Workers: 2})
		must(f.t, err)
		if out.ExitCode != pipelines.ExitInterrupted {
			break
		}
		stopped++
	}
	if stopped < 2 {
		f.t.Fatalf("only %d runs were stopped: the test does not test", stopped)
	}
	return stopped
}
