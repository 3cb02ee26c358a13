package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"glmbatch/internal/words"
)

// A query runs in a process of its own, which is this program again: the engine's own memory limit does not count what
// functions allocate, and only a process can be ended in the middle of one. docs/decisions/0088-queries.md gives the
// reasons.

// childName is the name (argument 0) by which this program is started as the process of a query. It needs no argument
// and no variable, and works in every program that imports this package, also in binaries of tests.
const childName = "glmbatch-query"

func init() {
	if os.Args[0] == childName {
		smallStacks()
		os.Exit(serve(os.Stdin, os.Stdout))
	}
}

// stackBytes is the stack of a thread in the process of a query. An expression of a thousand nested functions,
// the deepest that the engine allows, needs less than half of it.
const stackBytes = 4 << 20

// smallStacks starts this program again with stacks of stackBytes. The C library decides at start how large the stacks
// of threads are, 8 MiB as a rule, and the limit of bounded counts them whole: how many threads the Go runtime starts
// would decide whether a query fits. It returns if the stacks are small already, or if it cannot do this.
func smallStacks() {
	var have syscall.Rlimit
	if runtime.GOOS != "linux" || syscall.Getrlimit(syscall.RLIMIT_STACK, &have) != nil || have.Cur <= stackBytes {
		return
	}
	have.Cur = stackBytes
	if syscall.Setrlimit(syscall.RLIMIT_STACK, &have) == nil {
		_ = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	}
}

// order is the message to the process of a query.
type order struct {
	Query      query
	Everywhere bool   // Within is nil, which gob does not distinguish from an empty list
	Dir, Out   string // folder for its files, and the file that it writes
}

// answer is how the process of a query ended.
type answer struct {
	Failed              bool
	File, Message, Hint string
}

// serve carries out an order, within its memory, and ends early with the process that gave it.
func serve(in io.Reader, out io.Writer) (code int) {
	var o order
	if err := gob.NewDecoder(in).Decode(&o); err != nil {
		fmt.Fprintf(os.Stderr, "%s: it is started by glmbatch alone: %v\n", childName, err)
		return 2
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(2) // no process waits for the answer
	}()
	if o.Everywhere {
		o.Query.Within = nil
	} else if o.Query.Within == nil {
		o.Query.Within = []string{}
	}
	var a answer
	err := bounded(o.Query.Ceiling)
	if err == nil {
		err = o.Query.run(context.Background(), o.Dir, o.Out)
	}
	if err != nil {
		a = answer{Failed: true, File: o.Query.Database}
		var fault *SourceError
		if errors.As(err, &fault) {
			a.File, err = fault.File, fault.Err
		}
		a.Message, a.Hint = words.Parts(err)
	}
	if err := gob.NewEncoder(out).Encode(a); err != nil {
		return 2
	}
	return 0
}

// minPrivate is the private memory that a query needs at least, of which less than half becomes resident: stacks of
// threads and the program's own variables.
const minPrivate = 192e6

// bounded limits the private memory of this process, so that its resident memory exceeds a ceiling in bytes by less
// than a fifth; 0 is no limit. Linux counts what may be written to and is not shared. An allocation beyond the limit
// fails.
func bounded(ceiling int64) error {
	if ceiling == 0 || runtime.GOOS != "linux" {
		return nil
	}
	var have syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &have); err != nil {
		return err
	}
	have.Cur = min(have.Max, uint64(max(ceiling, minPrivate)))
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &have)
}

// elsewhere runs the query in a process of its own, which writes its rows to the file out in the folder dir.
func (q *query) elsewhere(ctx context.Context, dir, out string) error {
	var sent, got, said bytes.Buffer
	if err := gob.NewEncoder(&sent).Encode(order{*q, q.Within == nil, dir, out}); err != nil {
		return q.fail(err, "")
	}
	program, err := os.Executable()
	if runtime.GOOS == "linux" {
		program, err = "/proc/self/exe", nil // also where the file was replaced meanwhile
	}
	if err != nil {
		return q.fail(err, "")
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Args = []string{childName}
	cmd.Stdout, cmd.Stderr = &got, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this process
	in, err := cmd.StdinPipe()                            // stays open: its end ends the query
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return q.fail(fmt.Errorf("the process of the query cannot be started: %w", err), "")
	}
	_, _ = in.Write(sent.Bytes()) // a process that is gone is seen below
	err = cmd.Wait()
	if q.ended != nil {
		q.ended(cmd.ProcessState)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var a answer
	if derr := gob.NewDecoder(&got).Decode(&a); derr != nil {
		return q.fail(q.gone(cmp.Or(err, derr), said.String()), budgetHint)
	}
	if a.Failed {
		return &SourceError{Dataset: q.Name, File: a.File, Err: words.Hint(errors.New(a.Message), a.Hint)}
	}
	return nil
}

// gone is the error of a process that ended without an answer, for err, and what it wrote last.
func (q *query) gone(err error, said string) error {
	said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	if said != "" {
		said = ": " + strings.ToValidUTF8(said, "\uFFFD")
	}
	if q.Ceiling == 0 {
		return fmt.Errorf("the process of the query ended (%w)%s", err, said)
	}
	return fmt.Errorf("the process of the query, which may take %s of memory, ended (%w)%s", words.Bytes(q.Ceiling), err,
		said)
}
