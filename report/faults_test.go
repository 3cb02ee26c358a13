package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/internal/words"
)

var errPlanted = errors.New("the spool is damaged")

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func execute(ctx context.Context, c *sql.Conn, q string) error {
	_, err := c.ExecContext(ctx, q)
	return err
}

// allTables are the tables that a fit leaves rows in.
var allTables = append([]string{"fit", "run_fit"}, fitTables...)

// rowCounts is the number of rows of each table, as text.
func rowCounts(t *testing.T, l *Ledger) string {
	t.Helper()
	var parts []string
	for _, table := range allTables {
		parts = append(parts, "SELECT '"+table+" ' || count(*) AS line FROM "+table)
	}
	var all string
	one(t, l, "SELECT string_agg(line, chr(10) ORDER BY line) FROM ("+strings.Join(parts, " UNION ALL ")+")", &all)
	return all
}

// cut yields the first n blocks and then calls end.
func cut(seq iter.Seq2[*infer.Columns, error], n int,
	end func(yield func(*infer.Columns, error) bool)) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for c, err := range seq {
			if n == 0 {
				end(yield)
				return
			}
			n--
			if !yield(c, err) {
				return
			}
		}
	}
}

// TestNothingHalf breaks the storing of a fit in many places. Nothing of the fit may be visible afterwards, and the
// fit that it would have replaced must be whole.
func TestNothingHalf(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	base := sampled(t)
	before := rowCounts(t, base)
	whole, err := os.ReadFile(base.path)
	must(t, err)
	for name, plant := range map[string]func(*Fit){
		"draws error": func(f *Fit) {
			f.DrawsOf = cut(f.DrawsOf, 2, func(yield func(*infer.Columns, error) bool) { yield(nil, errPlanted) })
		},
		"draws panic": func(f *Fit) {
			f.DrawsOf = cut(f.DrawsOf, 1, func(func(*infer.Columns, error) bool) { panic(errPlanted.Error()) })
		},
		"draws end early": func(f *Fit) { f.DrawsOf = cut(f.DrawsOf, 1, func(func(*infer.Columns, error) bool) {}) },
		"draws too many":  func(f *Fit) { f.DrawsOf = draws(6, 4, 100, 2) },
		"draws too long":  func(f *Fit) { f.DrawsOf = draws(5, 4, 101, 2) },
		"statistics error": func(f *Fit) {
			stats := f.StatsOf
			f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
				stats(func(s *infer.Iterations, err error) bool { yield(s, err); return false })
				yield(nil, errPlanted)
			}
		},
		"statistics of no chain": func(f *Fit) {
			f.StatsOf = func(yield func(*infer.Iterations, error) bool) { yield(&infer.Iterations{Chain: 4}, nil) }
		},
		"design is no JSON": func(f *Fit) { f.Design = []byte("{") },
		"missing summaries": func(f *Fit) { f.Summaries = f.Summaries[:2] },
		"no status":         func(f *Fit) { f.Status = "" },
		"cancelled in draws": func(f *Fit) {
			f.DrawsOf = cut(f.DrawsOf, 1,
				func(func(*infer.Columns, error) bool) { cancel() })
		},
		"cancelled at the end": func(f *Fit) {
			stats := f.StatsOf
			f.StatsOf = func(yield func(*infer.Iterations, error) bool) { stats(yield); cancel() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel = context.WithCancel(context.Background())
			l := open(t, Options{})
			must(t, os.WriteFile(l.path, whole, 0o600))
			f := sampleFit("f1")
			f.Group = "half"
			plant(f)
			err := l.Write(ctx, func(s *Session) error {
				_, err := s.Fit(ctx, f)
				return err
			})
			if err == nil {
				t.Fatal("no error")
			}
			if strings.HasSuffix(name, "error") && !errors.Is(err, errPlanted) {
				t.Errorf("the cause is lost: %v", err)
			}
			if name == "draws panic" && !strings.Contains(err.Error(), "panic: "+errPlanted.Error()) {
				t.Errorf("the panic is lost: %v", err)
			}
			if after := rowCounts(t, l); after != before {
				t.Errorf("after %v\n%s, want\n%s", err, after, before)
			}
			wantInt(t, l, 1, "SELECT count(*) FROM latest WHERE fit_id = 1 AND key = ''")
		})
	}
}

// TestSessionGoesOn: one fit's failure does not cost its neighbours.
func TestSessionGoesOn(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	bad := sampleFit("f2")
	bad.DrawsOf = cut(bad.DrawsOf, 1, func(yield func(*infer.Columns, error) bool) { yield(nil, errPlanted) })
	must(t, l.Write(ctx, func(s *Session) error {
		for _, f := range []*Fit{sampleFit("f1"), bad, sampleFit("f3")} {
			if _, err := s.Fit(ctx, f); (err != nil) != (f == bad) {
				return fmt.Errorf("%s: %v", f.Fingerprint, err)
			}
		}
		return nil
	}))
	wantInt(t, l, 2, "SELECT count(*) FROM fit")
	wantInt(t, l, 2*5*4*100, "SELECT count(*) FROM draw")
}

// TestReplace: storing a fingerprint again leaves one fit and no row of the old.
func TestReplace(t *testing.T) {
	l := open(t, Options{})
	store(t, l, sampleFit("f1"), sampleFit("other"))
	before := rowCounts(t, l)
	again := sampleFit("f1")
	again.Events[0].Message = "second"
	store(t, l, again)
	if after := strings.Replace(rowCounts(t, l), "run_fit 3", "run_fit 2", 1); after != before {
		t.Errorf("after replacing\n%s, want\n%s", after, before)
	}
	wantInt(t, l, 3, "SELECT fit_id FROM fit WHERE fingerprint = 'f1'")
	wantInt(t, l, 0, "SELECT count(*) FROM draw WHERE fit_id = 1")
	// the actions of runs continue under the new number
	wantInt(t, l, 2, "SELECT count(*) FROM run_fit WHERE fit_id = 3")
	wantInt(t, l, 1, "SELECT count(*) FROM event WHERE message = 'second' AND fit_id = 3")
}

// holdEnv makes this test binary a process that holds the ledger it names.
const holdEnv = "GLMBATCH_TEST_HOLD"

// waitEnv is how long that process waits for others that hold it.
const waitEnv = "GLMBATCH_TEST_WAIT"

func TestMain(m *testing.M) {
	path := os.Getenv(holdEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	wait, _ := time.ParseDuration(os.Getenv(waitEnv)) // none: as ever
	l, err := Open(path, Options{LockWait: wait})
	if err == nil {
		err = l.Write(context.Background(), func(*Session) error {
			fmt.Println("held")
			_, err := os.Stdin.Read(make([]byte, 1)) // until the parent closes it
			if err != nil && err.Error() != "EOF" {
				return err
			}
			return nil
		})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// hold starts a process that holds the ledger and returns what lets it go.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), holdEnv+"="+path)
	stdin, err := child.StdinPipe()
	must(t, err)
	stdout, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	line := make([]byte, 4)
	if _, err := stdout.Read(line); err != nil || string(line) != "held" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	released := false
	release = func() {
		if !released {
			released = true
			must(t, stdin.Close())
			must(t, child.Wait())
		}
	}
	t.Cleanup(release)
	return release
}

func TestLocked(t *testing.T) {
	const wait = 300 * time.Millisecond
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	release := hold(t, path)
	l, err := Open(path, Options{LockWait: wait})
	must(t, err)
	ctx := context.Background()
	ran := false
	for name, call := range map[string]func() error{
		"write":  func() error { return l.Write(ctx, func(*Session) error { ran = true; return nil }) },
		"stored": func() error { _, err := l.Stored(ctx, []string{"f"}); return err },
		"query":  func() error { return l.Query(ctx, os.Stdout, QueryOptions{}, "SELECT 1") },
	} {
		start := time.Now()
		err := call()
		took := time.Since(start)
		var locked *LockedError
		if !errors.As(err, &locked) || ran {
			t.Errorf("%s: %v (ran: %v)", name, err, ran)
			continue
		}
		if took < wait || took > wait+10*time.Second { // the upper bound only distinguishes waiting from hanging
			t.Errorf("%s waited %s of %s", name, took, wait)
		}
		if !strings.Contains(err.Error(), "hint: ") || !strings.Contains(err.Error(), "PID") {
			t.Errorf("%s does not say who holds the file: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := l.Write(cancelled, func(*Session) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while waiting: %v", err)
	}
	go func() {
		time.Sleep(wait / 3)
		release()
	}()
	patient, err := Open(path, Options{LockWait: time.Minute})
	must(t, err)
	must(t, patient.Write(ctx, func(*Session) error { return nil }))
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.duckdb")
	l, err := Open(good, Options{})
	must(t, err)
	store(t, l, sampleFit("f1"))
	whole, err := os.ReadFile(good)
	must(t, err)
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, content, 0o600))
		return path
	}
	foreign := filepath.Join(dir, "foreign.duckdb")
	other := &Ledger{path: foreign, opts: Options{MemoryLimit: "1GB", Threads: 1}}
	db, c, err := other.connect(context.Background(), false, reach{})
	must(t, err)
	must(t, execute(context.Background(), c, "CREATE TABLE mine (a INT)"))
	must(t, errors.Join(c.Close(), db.Close()))
	for name, path := range map[string]string{
		"text":       write("text.duckdb", []byte(strings.Repeat("hello ", 1000))),
		"short":      write("short.duckdb", []byte("DU")),
		"magic only": write("magic.duckdb", append(make([]byte, 8), "DUCK"...)),
		"truncated":  write("truncated.duckdb", whole[:len(whole)/3]),
		"zeroed":     write("zeroed.duckdb", append(append([]byte{}, whole[:4096]...), make([]byte, len(whole)-4096)...)),
		"directory":  dir,
		"foreign":    foreign,
		"odd name":   filepath.Join(dir, "a?b.duckdb"),
		"fragment":   write("a#b.duckdb", whole),
		"settings":   write("a.duckdb?custom_user_agent=", whole),
		"stray %":    filepath.Join(dir, "100%.duckdb"),
	} {
		content, _ := os.ReadFile(path)
		_, err := Open(path, Options{})
		var not *NotLedgerError
		if !errors.As(err, &not) || hintOf(not) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != string(content) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	empty := write("empty.duckdb", nil)
	l, err = Open(empty, Options{})
	must(t, err)
	var not *NotLedgerError
	if err := l.Write(context.Background(), func(*Session) error { return nil }); !errors.As(err, &not) ||
		!strings.Contains(hintOf(not), "remove") {
		t.Errorf("an empty file: %v", err)
	}
	absent := filepath.Join(dir, "absent.duckdb")
	l, err = Open(absent, Options{})
	must(t, err)
	var missing *MissingError
	if err := l.Query(context.Background(), os.Stdout, QueryOptions{}, "SELECT 1"); !errors.As(err, &missing) {
		t.Errorf("query without a ledger: %v", err)
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("opening or reading made a file")
	}
}

// TestDamaged flips bytes all over a ledger. Reading it must give an error or
// an answer, but never end the process.
func TestDamaged(t *testing.T) {
	l := sampled(t)
	whole, err := os.ReadFile(l.path)
	must(t, err)
	refused := 0
	for i := range 16 {
		damaged := append([]byte{}, whole...)
		for j := i * len(whole) / 16; j < min(len(whole), i*len(whole)/16+64); j++ {
			damaged[j] ^= 0x5a
		}
		path := filepath.Join(t.TempDir(), "damaged.duckdb")
		must(t, os.WriteFile(path, damaged, 0o600))
		d, err := Open(path, Options{})
		if err == nil {
			err = d.Query(context.Background(), new(strings.Builder), QueryOptions{}, "SELECT avg(value) FROM draws")
		}
		if err != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}

// hintOf is the remedy in an error.
func hintOf(err error) string {
	_, hint := words.Parts(err)
	return hint
}
