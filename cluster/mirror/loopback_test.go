//go:build loopback

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// These tests need an object store and the program; "make stores" builds them and names them in the environment. Each
// scenario disturbs a night whose calls go through a proxy that fails, and the ledger must have the digests of one run.

// digests are a line for each fit: its name, how it ended, and digests of its draws, chains and summaries.
const digests = `
	WITH d AS (SELECT fit_id, md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY parameter_id, chain, iteration)) AS h FROM draw GROUP BY ALL),
	c AS (SELECT fit_id, md5(string_agg(concat_ws(',', chain, iteration, log_lik, log_prior, evaluations), ';' ORDER BY chain, iteration)) AS h FROM chain GROUP BY ALL),
	s AS (SELECT fit_id, md5(string_agg(concat_ws(',', name, mean, sd, rhat, ess_bulk, ess_tail), ';' ORDER BY name)) AS h FROM summary GROUP BY ALL)
	SELECT concat_ws(' ', dataset, key, model, sampler, fingerprint, d.h, c.h, s.h, status, verdict)
	FROM fit LEFT JOIN d USING (fit_id) LEFT JOIN c USING (fit_id) LEFT JOIN s USING (fit_id) ORDER BY ALL`

// loop is a store on this machine with the nights of one spec.
type loop struct {
	*testing.T
	dir   string
	proxy string // address of the proxy before the store
	whole string // digests of one run without a store for its plan
	calls atomic.Int64
	wrong atomic.Bool
}

func program(t *testing.T, name string) string {
	path := os.Getenv(name)
	if path == "" {
		t.Fatalf("no %s: make stores builds it", name)
	}
	return path
}

func TestLoopback(t *testing.T) {
	l := &loop{T: t, dir: t.TempDir()}
	l.serve()
	l.spec()
	l.must("PIPELINE", "run", l.path("spec.yaml"), "--database", l.path("whole.duckdb"), "--quiet", "--allow", l.dir, "--allow", "s3://data")
	l.whole = l.digests("whole")
	if n := strings.Count(l.whole, "complete"); n != 6 {
		t.Fatalf("%d complete fits:\n%s", n, l.whole)
	}
	l.wrong.Store(true)
	for _, c := range []struct {
		name string
		f    func(l *loop, night string)
	}{{"undisturbed", undisturbed}, {"machine-lost", machineLost}, {"slow-attempt", slowAttempt}} {
		t.Run(c.name, func(t *testing.T) {
			was := l.T
			l.T = t
			defer func() { l.T = was }()
			night := "s3://data/nights/" + c.name
			l.must("GLMBATCH_MIRROR", "plan", "--pipeline", program(t, "PIPELINE"), night, l.path("spec.yaml"), "--shards", "2",
				"--database", l.path(c.name+".duckdb"), "--allow", l.dir, "--allow", "s3://data")
			c.f(l, night)
			l.must("GLMBATCH_MIRROR", "gather", "--pipeline", program(t, "PIPELINE"), night)
			if got := l.digests(c.name); got != l.whole {
				t.Errorf("other digests than one run:\n%s\nwant:\n%s", got, l.whole)
			}
		})
	}
	t.Logf("%d calls went through the proxy", l.calls.Load())
}

func (l *loop) path(name string) string { return filepath.Join(l.dir, name) }

func freePort(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// serve starts the store, and before it a proxy of whose calls every eleventh fails: refused, its answer lost after it
// was carried out, its answer's body broken off, or late.
func (l *loop) serve() {
	if err := os.MkdirAll(l.path("store/data"), 0o700); err != nil {
		l.Fatal(err)
	}
	address := freePort(l.T)
	store := exec.Command(program(l.T, "VERSITYGW"), "--port", address, "posix", l.path("store"))
	store.Env = append(os.Environ(), "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=secret")
	if err := store.Start(); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { store.Process.Kill(); store.Wait() })
	target, _ := url.Parse("http://" + address)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Director = func(r *http.Request) { r.URL.Scheme, r.URL.Host = "http", address } // Host stays: it is signed
	proxy.ModifyResponse = func(r *http.Response) error {
		switch r.Request.Header.Get("X-Fault") {
		case "lost":
			return errors.New("the answer is lost")
		case "cut":
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(r.Body, r.ContentLength/2), r.Body}
		}
		return nil
	}
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.Fatal(err)
	}
	l.proxy = front.Addr().String()
	server := &http.Server{ErrorLog: nil, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("X-Fault")
		if n := l.calls.Add(1); l.wrong.Load() && n%11 == 0 {
			switch n / 11 % 5 {
			case 0:
				w.WriteHeader(http.StatusInternalServerError)
				return
			case 1:
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case 2:
				r.Header.Set("X-Fault", "lost")
			case 3:
				r.Header.Set("X-Fault", "cut")
			case 4:
				time.Sleep(2 * time.Second)
			}
		}
		proxy.ServeHTTP(w, r)
	})}
	go server.Serve(front)
	l.Cleanup(func() { server.Close() })
	deadline := time.Now().Add(time.Minute)
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			l.Fatal("the store does not come up")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// spec writes six data sets into the store, of fits that last for seconds.
func (l *loop) spec() {
	if err := os.MkdirAll(l.path("store/data/clinics"), 0o755); err != nil {
		l.Fatal(err)
	}
	for i := range 6 {
		var b strings.Builder
		b.WriteString("age,y\n")
		for row := range 400 {
			fmt.Fprintf(&b, "%d,%d\n", 20+row%61, (row*(i%17+3)+i)%7+row/90)
		}
		if err := os.WriteFile(l.path(fmt.Sprintf("store/data/clinics/c%d.csv", i)), []byte(b.String()), 0o644); err != nil {
			l.Fatal(err)
		}
	}
	text := `pipeline: night
database: never.duckdb
seed: 1
datasets: {clinics: {path: "s3://data/clinics/*.csv", each: file}}
models: {m: {formula: y ~ age, family: poisson, standardize: center_scale}}
samplers: {g: {method: cggibbs, kernels: scalar}}
run: {chains: 2, warmup: 1000, draws: 20000}
gates: {rhat: 1.5, ess_bulk: 10, ess_tail: 10}
`
	if err := os.WriteFile(l.path("spec.yaml"), []byte(text), 0o644); err != nil {
		l.Fatal(err)
	}
}

func (l *loop) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(program(l.T, name), args...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL=http://"+l.proxy, "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret",
		"TMPDIR="+l.dir)
	return cmd
}

// must runs a program that may end with 1, and returns what it prints.
func (l *loop) must(name string, args ...string) string {
	l.Helper()
	out, err := l.command(name, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		l.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (l *loop) digests(ledger string) string {
	l.Helper()
	return l.must("PIPELINE", "sql", "--database", l.path(ledger+".duckdb"), "--format", "csv", digests)
}

// shard is the call that carries out a shard on a machine, which is a folder of its own.
func (l *loop) shard(night, machine string, i int) *exec.Cmd {
	l.Helper()
	if err := os.MkdirAll(l.path(machine), 0o700); err != nil {
		l.Fatal(err)
	}
	return l.command("GLMBATCH_MIRROR", "run", "--pipeline", program(l.T, "PIPELINE"), "--every", "200ms", "--scratch", l.path(machine),
		"--shard", fmt.Sprint(i), night, "--quiet", "--workers", "1")
}

func (l *loop) ends(cmd *exec.Cmd) string {
	l.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		l.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func undisturbed(l *loop, night string) {
	for i := range 2 {
		l.Log(l.ends(l.shard(night, "one", i)))
	}
}

// segments are those of a shard that the store has.
func (l *loop) segments(night string, i int) (names []string) {
	pattern := l.path("store/" + strings.TrimPrefix(night, "s3://") + fmt.Sprintf("/shards/%d/spool/*/*/chain-*.spool/*", i))
	names, _ = filepath.Glob(pattern)
	return names
}

// midFit starts a shard, and returns when some of its draws are in the store.
func (l *loop) midFit(night, machine string, i, segments int) *exec.Cmd {
	l.Helper()
	cmd := l.shard(night, machine, i)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); len(l.segments(night, i)) < segments; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatalf("shard %d has no segments", i)
		}
	}
	return cmd
}

// A machine is lost in mid-fit, twice; another, whose folder is empty, resumes from the segments.
func machineLost(l *loop, night string) {
	for i := range 2 {
		for k := range 2 {
			cmd := l.midFit(night, fmt.Sprintf("lost-%d-%d", i, k), i, 3+3*k)
			cmd.Process.Kill()
			cmd.Wait()
		}
		out := l.ends(l.shard(night, fmt.Sprintf("fresh-%d", i), i))
		if !strings.Contains(out, "goes on with") {
			l.Errorf("shard %d began anew: %s", i, out)
		}
		l.Log(out)
	}
}

// An attempt sleeps in mid-fit and another takes its shard over; it wakes up, and both continue to their ends.
func slowAttempt(l *loop, night string) {
	for i := range 2 {
		slow := l.midFit(night, fmt.Sprintf("slow-%d", i), i, 3)
		pids := []int{slow.Process.Pid}
		out, _ := exec.Command("pgrep", "-P", fmt.Sprint(slow.Process.Pid)).Output()
		for _, text := range strings.Fields(string(out)) {
			var pid int
			fmt.Sscan(text, &pid)
			pids = append(pids, pid)
		}
		if len(pids) < 2 {
			l.Fatalf("the process of shard %d is not found", i)
		}
		for _, pid := range pids {
			syscall.Kill(pid, syscall.SIGSTOP)
		}
		had := len(l.segments(night, i))
		fast := l.midFit(night, fmt.Sprintf("fast-%d", i), i, had+3)
		for _, pid := range pids {
			syscall.Kill(pid, syscall.SIGCONT)
		}
		for name, cmd := range map[string]*exec.Cmd{"slow": slow, "fast": fast} {
			err := cmd.Wait()
			var exit *exec.ExitError
			if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
				l.Errorf("shard %d, %s: %v", i, name, err)
			}
		}
	}
}
