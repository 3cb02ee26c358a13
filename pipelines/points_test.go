package pipelines_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// points counts the points of a call: looks at its context, and operations on its spool. They are places in the
// program, so a loaded machine does not move them.
type points struct {
	context.Context
	call
	mu                sync.Mutex
	looks, operations int
}

func newPoints(c call) *points { return &points{Context: context.Background(), call: c} }

// Err is a look at the context.
func (p *points) Err() error {
	p.pass(&p.looks, p.KillAt, "a look at the context")
	return p.Context.Err()
}

// Done is never closed.
func (p *points) Done() <-chan struct{} { return nil }

// operation is an operation on the spool.
func (p *points) operation(name string) { p.pass(&p.operations, p.KillOn, name) }

// pass counts a point. It kills the process at the one with the number at.
func (p *points) pass(count *int, at int, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *count++; *count == at {
		fmt.Printf("killed at %d: %s\n", at, name)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal arrives
	}
}

// print prints the numbers of points.
func (p *points) print() { fmt.Printf("points: %d %d\n", p.looks, p.operations) }

// pointsOf returns the numbers of points that a call printed.
func pointsOf(t *testing.T, out string) (looks, operations int) {
	t.Helper()
	_, last, _ := strings.Cut(out, "points: ")
	if _, err := fmt.Sscan(last, &looks, &operations); err != nil {
		t.Fatalf("no points are counted: %v in\n%s", err, out)
	}
	return looks, operations
}

// killAt has the call killed at a share of its points: of its operations on the spool, or else of its looks.
func (c *call) killAt(share float64, onSpool bool, looks, operations int) {
	c.KillAt, c.KillOn = 0, 0
	if onSpool && operations > 0 {
		c.KillOn = 1 + int(share*float64(operations))
		return
	}
	c.KillAt = 1 + int(share*float64(looks))
}
