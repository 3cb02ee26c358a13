package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process runs the program to its end, and calls beat every so often; true from it, or the end of the context, asks the
// process to end with SIGTERM. It returns the exit code, 128 and the signal's number where one has ended the process.
//
// The process dies with this one, however that ends: the kernel sends it SIGKILL when the thread that started it is
// gone, which is why that thread does nothing else meanwhile.
func process(ctx context.Context, program string, args []string, every time.Duration,
	beat func() (end bool)) (int, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = diesWithParent()
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
		return exitUsage, err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	cancelled, asked := ctx.Done(), false
	end := func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // one that has ended already is no error
		cancelled, asked = nil, true
	}
	for {
		select {
		case <-cancelled:
			end()
		case <-tick.C:
			if !asked && beat() {
				end()
			}
		case err := <-waited:
			if cmd.ProcessState == nil {
				return exitAgain, errors.Join(errors.New("the end of the process is not known"), err)
			}
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
				return 128 + int(status.Signal()), nil
			}
			return cmd.ProcessState.ExitCode(), nil
		}
	}
}
