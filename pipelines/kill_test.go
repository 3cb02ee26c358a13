package pipelines_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// kills is how many processes each test of this file kills: few in make test,
// GLMBATCH_KILLS, which make kill and .ci/run set.
func kills() int {
	n, err := strconv.Atoi(os.Getenv("GLMBATCH_KILLS"))
	if err != nil {
		return 4
	}
	return n
}

// moments are random, from a fixed seed or that of make stat and make kill.
func moments(t *testing.T) *rand.Rand {
	seed, err := strconv.ParseUint(os.Getenv("GLMBATCH_SEED"), 10, 64)
	if err != nil {
		seed = 1
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 11))
}

// fitDigests is a line per complete fit: its name, and digests of its draws,
// its chains' statistics and its summaries.
const fitDigests = `
	WITH d AS (SELECT fit_id, md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY parameter_id, chain, iteration)) AS h FROM draw GROUP BY ALL),
	c AS (SELECT fit_id, md5(string_agg(concat_ws(',', chain, iteration, log_lik, log_prior, evaluations), ';' ORDER BY chain, iteration)) AS h FROM chain GROUP BY ALL),
	s AS (SELECT fit_id, md5(string_agg(concat_ws(',', name, mean, sd, rhat, ess_bulk, ess_tail), ';' ORDER BY name)) AS h FROM summary GROUP BY ALL)
	SELECT concat_ws(' ', dataset, key, model, sampler, fingerprint, 'draws', d.h, 'chains', c.h, 'summaries', s.h, verdict)
	FROM fit LEFT JOIN d USING (fit_id) LEFT JOIN c USING (fit_id) LEFT JOIN s USING (fit_id)
	WHERE status = 'complete' ORDER BY ALL`

// strays counts rows of fits that are not there, and fits without their rows.
const strays = `
	SELECT (SELECT count(*) FROM draw ANTI JOIN fit USING (fit_id)) + (SELECT count(*) FROM chain ANTI JOIN fit USING (fit_id))
		+ (SELECT count(*) FROM parameter ANTI JOIN fit USING (fit_id)) + (SELECT count(*) FROM summary ANTI JOIN fit USING (fit_id))
		+ (SELECT count(*) FROM design ANTI JOIN fit USING (fit_id)) + (SELECT count(*) FROM identity ANTI JOIN fit USING (fit_id))
		+ (SELECT count(*) FROM diagnostic ANTI JOIN fit USING (fit_id)) + (SELECT count(*) FROM fit ANTI JOIN run USING (run_id))
		+ (SELECT count(*) FROM (SELECT fingerprint FROM fit WHERE status = 'complete' GROUP BY ALL HAVING count(*) > 1))`

// undisturbed is the result of a run without disturbances.
type undisturbed struct {
	fits              map[string]bool      // lines of fitDigests
	logLik            map[string][]float64 // by fingerprint and chain: every iteration's
	looks, operations int                  // points of the call
}

// undisturbed runs the folder's spec in a child, into a ledger of its own. spool keeps all draws on disk.
func (f folder) undisturbed(spool bool) undisturbed {
	f.t.Helper()
	u := undisturbed{logLik: map[string][]float64{}}
	c := call{Spec: f.path("spec.yaml"), Database: f.path("whole.duckdb"), Workers: 2, Spool: spool}
	code, out := c.run(f.t)
	if code != 0 {
		f.t.Fatalf("undisturbed: exit code %d\n%s", code, out)
	}
	u.looks, u.operations = pointsOf(f.t, out)
	u.fits, _ = digests(f.t, f.path("whole.duckdb"))
	rows := f.ask("whole.duckdb", "SELECT concat_ws('/', fingerprint, chain), log_lik FROM chain JOIN fit USING (fit_id) ORDER BY fit_id, chain, iteration")
	for _, line := range strings.Split(rows, "\n") {
		at, text, _ := strings.Cut(line, ",")
		v, err := strconv.ParseFloat(text, 64)
		must(f.t, err)
		u.logLik[at] = append(u.logLik[at], v)
	}
	return u
}

// watch looks at a ledger and its spool after each blow, and remembers what was
// finished, which may not go away.
type watch struct {
	folder
	undisturbed
	fits  map[string]bool // seen complete in the ledger
	drawn map[string]int  // iterations seen in the spool, by fingerprint and chain
}

func (f folder) watch(u undisturbed) *watch {
	return &watch{folder: f, undisturbed: u, fits: map[string]bool{}, drawn: map[string]int{}}
}

// look checks the ledger and the spool, or rather copies: looking must not repair.
func (w *watch) look(when string) {
	w.t.Helper()
	copyFile(w.t, w.path("t.duckdb"), w.path("look.duckdb"))
	copyFile(w.t, w.path("t.duckdb.wal"), w.path("look.duckdb.wal"))
	copyFile(w.t, w.path("t.duckdb.guard"), w.path("look.duckdb.guard"))
	seen, stray := digests(w.t, w.path("look.duckdb"))
	if stray != 0 {
		w.t.Errorf("%s: the ledger has %d stray rows", when, stray)
	}
	for line := range seen {
		if !w.undisturbed.fits[line] {
			w.t.Errorf("%s: the ledger has a fit that an undisturbed run has not: %s", when, line)
		}
	}
	for line := range w.fits {
		if !seen[line] {
			w.t.Errorf("%s: the ledger has lost %s", when, line)
		}
	}
	w.fits = seen
	w.lookAtSpool(when)
}

// digests asks a ledger for the lines of its complete fits, and for strays. One
// that is not there yet, or has no tables yet, has none.
func digests(t *testing.T, path string) (fits map[string]bool, stray int) {
	t.Helper()
	fits = map[string]bool{}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return fits, 0
	}
	// which repairs a torn block, as the next run would
	if _, err := report.Open(path, report.Options{}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", path+"?access_mode=READ_ONLY&threads=1")
	must(t, err)
	defer db.Close()
	var tables int
	must(t, db.QueryRow("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'fit'").Scan(&tables))
	if tables == 0 {
		return fits, 0
	}
	must(t, db.QueryRow(strays).Scan(&stray))
	rows, err := db.Query(fitDigests)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		fits[line] = true
	}
	return fits, stray
}

// lookAtSpool opens a copy of every fit's folder, as the next run would, and
// compares what counts in it with the undisturbed chains.
func (w *watch) lookAtSpool(when string) {
	w.t.Helper()
	root := w.path("look.work")
	must(w.t, os.RemoveAll(root))
	if _, err := os.Stat(w.path("t.duckdb.work")); err != nil {
		return
	}
	must(w.t, os.CopyFS(root, os.DirFS(w.path("t.duckdb.work"))))
	manifests, err := filepath.Glob(filepath.Join(root, "*", "manifest.json"))
	must(w.t, err)
	for _, path := range manifests {
		var m spool.Manifest
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &m) != nil {
			w.t.Errorf("%s: the manifest %s: %v %s", when, path, err, text)
			continue
		}
		fit, err := spool.Disk{}.Open(root, m)
		if err != nil {
			w.t.Errorf("%s: %v", when, err)
			continue
		}
		for c, chain := range fit.Chains {
			w.lookAtChain(when, fmt.Sprintf("%s/%d", m.Fingerprint, c+1), chain)
		}
		if err := fit.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

func (w *watch) lookAtChain(when, name string, chain *spool.Chain) {
	w.t.Helper()
	n := chain.Draws()
	if n < w.drawn[name] {
		w.t.Errorf("%s: chain %s has %d iterations, it had %d", when, name, n, w.drawn[name])
	}
	w.drawn[name] = n
	infos, err := chain.Infos(0, n)
	must(w.t, err)
	for i := range infos {
		if want := w.logLik[name]; i >= len(want) || infos[i].LogLik != want[i] {
			w.t.Errorf("%s: chain %s differs from the undisturbed one at iteration %d of %d", when, name, i+1, n)
			return
		}
	}
}

// whole checks that the ledger has all that an undisturbed one has.
func (w *watch) whole() {
	w.t.Helper()
	w.look("at the end")
	if len(w.fits) != len(w.undisturbed.fits) {
		w.t.Errorf("at the end the ledger has %d fits, want %d", len(w.fits), len(w.undisturbed.fits))
	}
	if _, err := os.Stat(w.path("t.duckdb.work")); !errors.Is(err, fs.ErrNotExist) {
		w.t.Errorf("the work folder is left: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(to)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	must(t, err)
}

// groups is a table of n groups of 12 rows.
func groups(n int) string {
	var b strings.Builder
	b.WriteString("region,age,y\n")
	for g := range n {
		for i := range 12 {
			fmt.Fprintf(&b, "g%d,%d,%d\n", g, 20+3*i, (i*(g+3)+g)%7+i/2)
		}
	}
	return b.String()
}

// memory is a temporary folder on a file system in memory, where there is one:
// a process that is killed loses there what it would lose on a disk, and
// nothing waits.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "glmbatch-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// nights are specs whose runs are killed: many fits that are mostly committed,
// and few that are mostly drawn, in growing windows.
func nights(t *testing.T, name string, n int) folder {
	text := fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}")
	if name == "drawing" {
		text = strings.Replace(text, "warmup: 20, draws: 60", "until: {ess: 4000, over: all}, first: 500, max_iterations: 16000", 1)
	}
	f := folder{t, memory(t)}
	f.write("spec.yaml", text)
	f.write("claims.csv", groups(n))
	return f
}

// Processes are killed at random points of whole runs, of resumed ones and of
// commits. After each blow every complete fit has the bits of the undisturbed
// run, no other is visible, nothing that was finished is lost; and what a spool
// counts as drawn is what the undisturbed chains drew. Those that draw keep all of it
// on disk, as long fits do, the others hold it in memory.
func TestKilled(t *testing.T) {
	for name, fits := range map[string]int{"committing": 6, "drawing": 2} {
		t.Run(name, func(t *testing.T) {
			f := nights(t, name, fits)
			c := call{Spec: f.path("spec.yaml"), Workers: 2, Spool: name == "drawing"}
			u, rng := f.undisturbed(c.Spool), moments(t)
			w, runs := f.watch(u), 0
			for killed := 0; killed < kills()/2; {
				c.killAt(rng.Float64(), killed%2 == 1, u.looks, u.operations)
				code, out := c.run(t)
				if code == -1 {
					killed++
					w.look(fmt.Sprintf("kill %d: %s", killed, out))
				} else {
					if code != 0 {
						t.Fatalf("after %d kills: exit code %d\n%s", killed, code, out)
					}
					w.whole()
					w, runs = f.anew(u), runs+1
				}
				if t.Failed() {
					t.Fatalf("in %s", out)
				}
			}
			c.KillAt, c.KillOn = 0, 0
			if code, out := c.run(t); code != 0 {
				t.Fatalf("the last run: exit code %d\n%s", code, out)
			}
			w.whole()
			t.Logf("%s: %d kills in %d whole runs of %d looks and %d operations", name, kills()/2, runs+1, u.looks, u.operations)
		})
	}
}

// whole removes the ledger, so that the next run is a whole one.
func (f folder) anew(u undisturbed) *watch {
	for _, name := range []string{"t.duckdb", "t.duckdb.wal", "t.duckdb.guard", "t.duckdb.work"} {
		must(f.t, os.RemoveAll(f.path(name)))
	}
	return f.watch(u)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
