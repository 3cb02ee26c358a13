package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"glmbatch/pipelines"
)

// holdFlag, alone before a file, makes the command a program that holds a ledger until its input ends, as another
// engine does: locks are a process's, so that it cannot be this one.
const holdFlag = "-hold"

// hold is that program.
func hold(path string, stdin io.Reader, stdout io.Writer) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "held")
	_, err = io.Copy(io.Discard, stdin)
	return err
}

// held has another process hold a ledger until release.
func held(ctx context.Context, path string) (release func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, holdFlag, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	release = func() error { return errors.Join(in.Close(), cmd.Wait()) }
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		return nil, fmt.Errorf("%s is not held: %w", path, errors.Join(err, release()))
	}
	return release, nil
}

// wait draws a night while another process holds its ledger, which has the first fit alone, and commits the others
// then. Its first file is put aside while it does not count.
func (n *night) wait(ctx context.Context, dir, spec, database string) error {
	files, aside := filepath.Join(dir, "data"), filepath.Join(dir, "aside")
	first := filepath.Join(files, "d0000.csv")
	if err := errors.Join(os.Rename(files, aside), os.Mkdir(files, 0o700),
		os.Rename(filepath.Join(aside, "d0000.csv"), first)); err != nil {
		return err
	}
	if _, _, err := runNight(ctx, spec, pipelines.Computed, pipelines.RunOptions{}); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(first), os.Remove(files), os.Rename(aside, files)); err != nil {
		return err
	}
	n.fits--
	release, err := held(ctx, database)
	if err != nil {
		return err
	}
	n.wall, n.process, err = runNight(ctx, spec, pipelines.Uncommitted, pipelines.RunOptions{LockWait: -1})
	if err := errors.Join(err, release()); err != nil {
		return err
	}
	began, spent := time.Now(), processSeconds()
	_, err = pipelines.Commit(ctx, database, pipelines.CommitOptions{})
	n.wall += time.Since(began).Seconds()
	n.commit = processSeconds() - spent
	n.process += n.commit
	return err
}
