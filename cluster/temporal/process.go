package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// processEnd is how a process ended: its exit code, or −1 and the signal that ended it, and the last lines that it
// printed.
type processEnd struct {
	verb   string
	code   int
	signal syscall.Signal
	said   string
}

func (e processEnd) String() string {
	text := fmt.Sprintf("pipeline %s: exit code %d", e.verb, e.code)
	if e.code < 0 {
		text = fmt.Sprintf("pipeline %s: ended by signal %d (%v)", e.verb, int(e.signal), e.signal)
	}
	if e.said != "" {
		text += ": " + e.said
	}
	return text
}

// process runs the program until it ends, and calls beat every so often. When a channel is closed, the process and its
// children are asked to end with SIGTERM, and killed when they have not within Grace.
//
// The process dies with this one, however that ends: the kernel sends it SIGKILL when the thread that started it is
// gone, which is why that thread does nothing else meanwhile.
func (a *Activities) process(cancelled, stops <-chan struct{}, beat func(), args []string) (processEnd, error) {
	var said tail
	cmd := exec.Command(a.Program, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = diesWithParent()
	cmd.WaitDelay = time.Second // for children that hold its output
	started, waited := make(chan error, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		err := cmd.Start()
		started <- err
		if err == nil {
			waited <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return processEnd{}, err
	}
	tick := time.NewTicker(a.Every)
	defer tick.Stop()
	var kill <-chan time.Time
	term := func() {
		endGroup(cmd.Process.Pid, syscall.SIGTERM)
		cancelled, stops, kill = nil, nil, time.After(a.Grace)
	}
	for {
		select {
		case <-tick.C:
			beat()
		case <-cancelled:
			term()
		case <-stops:
			term()
		case <-kill:
			endGroup(cmd.Process.Pid, syscall.SIGKILL)
		case err := <-waited:
			return endOf(args[0], cmd, said.String(), err)
		}
	}
}

// endOf reads how a process ended. An error of Wait that is no exit code is one of copying its output, which its code
// outweighs.
func endOf(verb string, cmd *exec.Cmd, said string, err error) (processEnd, error) {
	state := cmd.ProcessState
	if state == nil {
		return processEnd{}, errors.Join(errors.New("pipeline "+verb+": its end is not known"), err)
	}
	e := processEnd{verb: verb, code: state.ExitCode(), said: said}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	return e, nil
}

// endGroup sends a signal to a process and its children. One that has ended already is no error.
func endGroup(pid int, signal syscall.Signal) { _ = syscall.Kill(-pid, signal) }

// tail keeps the end of what is written to it.
type tail struct{ kept []byte }

const (
	tailBytes = 4096
	tailLines = 10
)

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if n := len(t.kept) - tailBytes; n > 0 {
		t.kept = append([]byte(nil), t.kept[n:]...)
	}
	return len(p), nil
}

// String returns the last whole lines.
func (t *tail) String() string {
	lines := bytes.Split(bytes.TrimSpace(t.kept), []byte("\n"))
	lines = lines[max(0, len(lines)-tailLines):]
	return strings.ToValidUTF8(string(bytes.TrimSpace(bytes.Join(lines, []byte("\n")))), "�")
}
