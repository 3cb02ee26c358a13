package pipelines_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// soaked is how many data sets TestSoak fits: few in make test, GLMBATCH_SOAK in
// make soak.
func soaked() int {
	n, err := strconv.Atoi(os.Getenv("GLMBATCH_SOAK"))
	if err != nil {
		return 24
	}
	return n
}

// One run fits many data sets, each a file; the next one skips them all; then a tenth of the files change and only
// those are fitted again. Each run leaves neither goroutines nor open files nor a work folder, and the ledger has
// each fit once. Its cost is logged, and no test depends on it: docs/evidence/guarantees.md has the figures.
func TestSoak(t *testing.T) {
	n := soaked()
	f := folder{t, memory(t)}
	f.write("spec.yaml", strings.Replace(fmt.Sprintf(quick, `d: {path: "data/*.csv", each: file}`),
		// with many of them, some are late to mix
		"rhat: 1.5, ess_bulk: 5, ess_tail: 5", "rhat: 9, ess_bulk: 1, ess_tail: 1", 1))
	must(t, os.Mkdir(f.path("data"), 0o755))
	data := func(i, night int) {
		var b strings.Builder
		b.WriteString("age,y\n")
		for row := range 12 {
			fmt.Fprintf(&b, "%d,%d\n", 20+3*row, (row*(i%17+3)+i+night)%7+row/2)
		}
		f.write(fmt.Sprintf("data/d%04d.csv", i), b.String())
	}
	for i := range n {
		data(i, 0)
	}
	goroutines, files := left(t)
	night := func(name string, want map[string]int) {
		began, spent := time.Now(), processTime(t)
		out := f.run(pipelines.RunOptions{Workers: 2})
		wall, process := time.Since(began), processTime(t)-spent
		got := map[string]int{}
		for _, fit := range out.Fits {
			got[fit.Action]++
		}
		if out.ExitCode != pipelines.ExitPass || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: exit code %d, %v, want %v\n%s", name, out.ExitCode, got, want, saidBy(out))
		}
		g, o := left(t)
		if g > goroutines || o > files {
			t.Errorf("%s: %d goroutines and %d open files are left, there were %d and %d", name, g, o, goroutines, files)
		}
		if _, err := os.Stat(f.path("t.duckdb.work")); !os.IsNotExist(err) {
			t.Errorf("%s: the work folder is left: %v", name, err)
		}
		info, err := os.Stat(f.path("t.duckdb"))
		must(t, err)
		t.Logf("%s: %d fits in %.1f s, %.1f s of processor time (%.2f ms a fit); %d goroutines, %d files; ledger %.1f MB; largest memory %d MB",
			name, n, wall.Seconds(), process.Seconds(), 1e3*process.Seconds()/float64(n), g, o, float64(info.Size())/1e6, largestMemory(t)>>20)
	}
	night("first", map[string]int{pipelines.Computed: n})
	night("unchanged", map[string]int{pipelines.Skipped: n})
	for i := range n / 10 {
		data(10*i, 1)
	}
	night("a tenth changed", map[string]int{pipelines.Computed: n / 10, pipelines.Skipped: n - n/10})
	want := fmt.Sprintf("%d,%d,0", n+n/10, n+n/10)
	if got := f.ask("t.duckdb", "SELECT (SELECT count(*) FROM fit WHERE status = 'complete'), (SELECT count(DISTINCT fingerprint) FROM fit), ("+strays+")"); got != want {
		t.Errorf("fits, fingerprints and stray rows: %s, want %s", got, want)
	}
}

// left is how many goroutines and open files this process has, once those that are
// about to end have ended.
func left(t *testing.T) (goroutines, files int) {
	t.Helper()
	for range 200 {
		runtime.GC() // connections that are no longer used
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not tell the open files of a process")
		}
		g, f := runtime.NumGoroutine(), len(entries)
		if g == goroutines && f == files {
			break
		}
		goroutines, files = g, f
		time.Sleep(20 * time.Millisecond)
	}
	return goroutines, files
}

// processTime is the processor time of this process, in user and kernel.
func processTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// largestMemory is the most memory that this process has had, in bytes.
func largestMemory(t *testing.T) int64 {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Maxrss << 10
}
