package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A name is made once, whatever happens to calls: a put whose answer was lost is the caller's, another's is not.
func TestCreate(t *testing.T) {
	for name, wrong := range map[string]fault{"nothing": {}, "500": {status: 500}, "503": {status: 503}, "409": {status: 409},
		"answer lost": {lost: true}, "body cut": {cut: true}} {
		t.Run(name, func(t *testing.T) {
			f, s := newFake(t)
			for i := range 6 {
				key := fmt.Sprintf("name-%d", i)
				if wrong != (fault{}) {
					f.sometimes(2+i%2, wrong)
				}
				if mine, err := s.create(ctx, key, []byte("mine")); !mine || err != nil {
					t.Errorf("first: %v, %v", mine, err)
				}
				if mine, err := s.create(ctx, key, []byte("other")); mine || err != nil {
					t.Errorf("second: %v, %v", mine, err)
				}
				if data, err := s.get(ctx, key, 4); string(data) != "mine" || err != nil {
					t.Errorf("the name has %q, %v", data, err)
				}
			}
			f.once(t)
		})
	}
}

// A put that was carried out, and whose answer was lost, finds its own data under the name.
func TestLostAnswer(t *testing.T) {
	f, s := newFake(t)
	lost := false
	f.fault = func(r *http.Request) (wrong fault) {
		if r.Method == http.MethodPut && !lost {
			lost, wrong.lost = true, true
		}
		return wrong
	}
	if mine, err := s.create(ctx, "name", []byte("mine")); !mine || err != nil || !lost {
		t.Errorf("%v, %v", mine, err)
	}
	f.once(t)
}

func TestGivesUp(t *testing.T) {
	f, s := newFake(t)
	calls := 0
	f.fault = func(*http.Request) fault { calls++; return fault{status: 500} }
	if _, err := s.create(ctx, "name", nil); err == nil || calls != s.tries {
		t.Errorf("%v after %d calls", err, calls)
	}
	calls = 0
	f.fault = func(*http.Request) fault { calls++; return fault{status: 403} }
	if _, err := s.get(ctx, "name", 0); err == nil || calls != 1 || errors.Is(err, errAbsent) {
		t.Errorf("%v after %d calls", err, calls)
	}
	f.fault = nil
	if _, err := s.get(ctx, "name", 0); !errors.Is(err, errAbsent) {
		t.Errorf("what is not there: %v", err)
	}
}

func TestHeeds(t *testing.T) {
	f, s := newFake(t)
	if err := s.heeds(ctx); err != nil {
		t.Error(err)
	}
	f.heedful = false
	if err := s.heeds(ctx); err == nil || !strings.Contains(err.Error(), "If-None-Match") {
		t.Errorf("a store that overwrites: %v", err)
	}
	if left := f.keys(""); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// frame returns the spool's form of a block, of about n bytes.
func frame(first, n int) []byte {
	le := binary.LittleEndian
	draws, params := 2, max(n/16, 1)
	b := le.AppendUint32(nil, frameMagic)
	b = le.AppendUint32(b, 2)
	b = le.AppendUint64(b, uint64(first))
	for _, v := range []int{draws, params, 3, 2} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint64(b, 1)
	for i := range draws*params*8 + draws*infoSize + 5 {
		b = append(b, byte(i*7+first))
	}
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func TestFrames(t *testing.T) {
	one, two := frame(0, 100), frame(2, 3000)
	both := append(bytes.Clone(one), two...)
	damaged := bytes.Clone(both)
	damaged[len(one)+100]++
	for name, c := range map[string]struct {
		b    []byte
		want int
	}{
		"two": {both, len(both)}, "torn": {both[:len(both)-1], len(one)}, "head": {both[:len(one)+20], len(one)},
		"damaged": {damaged, len(one)}, "none": {[]byte("text"), 0}, "empty": {nil, 0}, "zeros": {make([]byte, 500), 0},
	} {
		if got := wholeFrames(c.b); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// attempt is a machine with a spool, into which a chain of frames that are the same for all is written.
type attempt struct {
	*watch
	dir string
}

const chainName = "f1/chain-1.spool"

// stream returns the draws of all attempts: frames of several lengths.
func stream(n int) (out []byte) {
	for i := range n {
		out = append(out, frame(2*i, 50+i*37%900)...)
	}
	return out
}

// takeOver begins an attempt on a machine with an empty folder, and returns how much of the chain it has.
func takeOver(t *testing.T, s *store) *attempt {
	t.Helper()
	sh, dir := &shard{s, 3}, t.TempDir()
	newest, files, err := sh.newest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sh.restore(ctx, files, dir)
	if err != nil {
		t.Fatal(err)
	}
	generation, err := sh.begin(ctx, newest, got)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "f1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f1", "manifest.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &attempt{sh.follow(generation, dir, got), dir}
}

func (a *attempt) has() []byte {
	b, _ := os.ReadFile(filepath.Join(a.dir, chainName))
	return b
}

// draws writes the first n bytes of the stream.
func (a *attempt) draws(t *testing.T, all []byte, n int) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(a.dir, chainName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if at := len(a.has()); n > at {
		if _, err := f.Write(all[at:n]); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
}

func (a *attempt) syncs(t *testing.T) {
	t.Helper()
	if err := a.sync(ctx); err != nil {
		t.Fatal(err)
	}
}

// An attempt with an empty folder has all whole frames that the one before has put, and none that is torn.
func TestTakeOver(t *testing.T) {
	f, s := newFake(t)
	all := stream(40)
	a := takeOver(t, s)
	for n := 100; n < len(all); n += 1777 {
		a.draws(t, all, n)
		a.syncs(t)
	}
	whole := wholeFrames(a.has())
	b := takeOver(t, s)
	if got := b.has(); len(got) != whole || !bytes.Equal(got, all[:whole]) {
		t.Fatalf("%d bytes, want %d", len(got), whole)
	}
	if b.generation != a.generation+1 {
		t.Errorf("generation %d after %d", b.generation, a.generation)
	}
	b.draws(t, all, len(all))
	b.syncs(t)
	c := takeOver(t, s)
	if !bytes.Equal(c.has(), all) {
		t.Errorf("the third has %d bytes of %d", len(c.has()), len(all))
	}
	f.once(t)
}

// A slow attempt that was thought dead continues while the new one runs. Each later attempt has what the newest
// has, and a prefix of the one stream; no object is written twice. Calls fail on the way, and lists are behind.
func TestSlowAttempt(t *testing.T) {
	for seed := range uint64(8) {
		f, s := newFake(t)
		all, r := stream(60), rand.New(rand.NewPCG(seed, 1))
		f.sometimes(3+int(seed), []fault{{}, {status: 503}, {lost: true}, {cut: true}}[seed%4])
		live := []*attempt{takeOver(t, s)}
		for range 60 {
			a := live[r.IntN(len(live))]
			a.draws(t, all, min(len(all), len(a.has())+r.IntN(2500)))
			a.syncs(t)
			if r.IntN(12) == 0 {
				last := live[len(live)-1]
				had := wholeFrames(last.has())
				if seed >= 4 {
					f.mu.Lock()
					f.hidden = func(key string) bool { return len(key)%5 == int(seed)%5 }
					f.mu.Unlock()
				}
				b := takeOver(t, s)
				f.mu.Lock()
				f.hidden = nil
				f.mu.Unlock()
				if got := b.has(); !bytes.HasPrefix(all, got) || seed < 4 && len(got) < min(had, int(last.files[chainName].at)) {
					t.Fatalf("seed %d: the new attempt has %d bytes, the last had %d", seed, len(got), had)
				}
				live = append(live, b)
			}
		}
		f.once(t)
		seen := map[int]bool{}
		for _, a := range live {
			if seen[a.generation] {
				t.Errorf("two attempts have generation %d", a.generation)
			}
			seen[a.generation] = true
		}
	}
}

// Damaged or lost segments in the store are drawn again, with all that follows them.
func TestDamagedSegments(t *testing.T) {
	for name, harm := range map[string]func(f *fake, key string){
		"gone":    func(f *fake, key string) { delete(f.objects, key) },
		"damaged": func(f *fake, key string) { f.objects[key][50]++ },
		"cut":     func(f *fake, key string) { f.objects[key] = f.objects[key][:60] },
	} {
		f, s := newFake(t)
		all := stream(40)
		a := takeOver(t, s)
		for _, n := range []int{len(all) / 3, len(all) / 2, len(all)} {
			a.draws(t, all, n)
			a.syncs(t)
		}
		var segments []string
		for _, key := range f.keys("shards/3/spool/") {
			if strings.Contains(key, "chain-1") {
				segments = append(segments, key)
			}
		}
		if len(segments) != 3 {
			t.Fatalf("segments %q", segments)
		}
		harm(f, "data/nights/monday/"+segments[1])
		first := len(f.objects["data/nights/monday/"+segments[0]])
		b := takeOver(t, s)
		if got := b.has(); len(got) != first || !bytes.Equal(got, all[:first]) {
			t.Errorf("%s: %d bytes, want %d", name, len(got), first)
		}
		b.draws(t, all, len(all))
		b.syncs(t)
		if c := takeOver(t, s); !bytes.Equal(c.has(), all) {
			t.Errorf("%s: the third has %d bytes of %d", name, len(c.has()), len(all))
		}
	}
}

// A file that the program restarts begins a new life in the store.
func TestBegunAnew(t *testing.T) {
	_, s := newFake(t)
	all, other := stream(20), stream(40)[len(stream(10)):]
	a := takeOver(t, s)
	a.draws(t, all, len(all))
	a.syncs(t)
	path := filepath.Join(a.dir, chainName)
	if err := os.WriteFile(path+".new", other, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	a.syncs(t)
	if b := takeOver(t, s); !bytes.Equal(b.has(), other) {
		t.Errorf("%d bytes, want those of the new life, %d", len(b.has()), len(other))
	}
}

// pretender stands for pipeline: plan, run and gather by their files and exit codes alone.
func pretender(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "pipeline")
	script := `#!/bin/sh
case $1 in
plan) for last; do :; done; test -f "$last/plan.json" && exit 0
	echo '{"run": "r1", "fits": [3, 2]}' > "$last/plan.json"; echo base > "$last/base.duckdb" ;;
run) work=$7/glmbatch-r1-$5.1/fragment.duckdb.work/f1; mkdir -p "$work"; shift 7
	test -f "$3/fragments/done" ; eval "$*" || exit $?
	;;
gather) cat "$2"/fragments/*.duckdb "$2"/fragments/*.json ;;
esac
`
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func newMirror(t *testing.T, s *store) *mirror {
	return &mirror{store: s, program: pretender(t), scratch: t.TempDir(), every: 20 * time.Millisecond, stderr: io.Discard}
}

// A night goes through the store; a shard that is done is not carried out again, and the first end of two counts.
func TestNight(t *testing.T) {
	f, s := newFake(t)
	m := newMirror(t, s)
	f.sometimes(7, fault{lost: true})
	for range 2 {
		if code, err := m.plan(ctx, []string{"spec.yaml", "--shards", "2"}); code != 0 || err != nil {
			t.Fatalf("plan: %d, %v", code, err)
		}
	}
	write := `night=$(dirname $(dirname $(dirname "$work")))/../night; for x in duckdb json; do echo "$0 said" > $night/fragments/0.$x; done; exit 1`
	if code, err := m.run(ctx, 0, []string{write}); code != 1 || err != nil {
		t.Fatalf("shard 0: %d, %v", code, err)
	}
	if code, err := m.run(ctx, 0, []string{"exit 7"}); code != 1 || err != nil {
		t.Errorf("shard 0 again: %d, %v", code, err)
	}
	if code, err := m.run(ctx, 2, nil); code != exitUsage || err == nil {
		t.Errorf("shard 2: %d, %v", code, err)
	}
	if code, err := m.run(ctx, 1, []string{"exit 3"}); code != 3 || err != nil {
		t.Errorf("shard 1: %d, %v", code, err)
	}
	if code, err := m.gather(ctx, nil); code != 0 || err != nil {
		t.Errorf("gather: %d, %v", code, err)
	}
	for _, key := range f.keys("shards/0/made/") {
		was := f.objects["data/nights/monday/"+key]
		f.objects["data/nights/monday/"+key] = []byte("other bytes")
		if code, err := m.gather(ctx, nil); code != exitAgain || err == nil || !strings.Contains(err.Error(), "shard 0") {
			t.Errorf("gather where %s is damaged: %d, %v", key, code, err)
		}
		f.objects["data/nights/monday/"+key] = was
	}
	f.once(t)
	if left := f.keys("shards/0/spool/"); len(left) > 0 {
		t.Errorf("segments are left: %q", left)
	}
}

// A fragment that could not be put stays on its machine, and the next call there puts it.
func TestPutLater(t *testing.T) {
	f, s := newFake(t)
	m := newMirror(t, s)
	if code, err := m.plan(ctx, []string{"spec.yaml", "--shards", "2"}); code != 0 || err != nil {
		t.Fatalf("plan: %d, %v", code, err)
	}
	f.fault = func(r *http.Request) (wrong fault) {
		if strings.Contains(r.URL.Path, "/made/") {
			wrong.status = 503
		}
		return wrong
	}
	write := `night=$(dirname $(dirname $(dirname "$work")))/../night; for x in duckdb json; do echo said > $night/fragments/1.$x; done`
	if code, err := m.run(ctx, 1, []string{write}); code != exitAgain || err == nil {
		t.Fatalf("without a store: %d, %v", code, err)
	}
	f.fault = nil
	if code, err := m.run(ctx, 1, []string{"exit 0"}); code != 0 || err != nil {
		t.Errorf("with one: %d, %v", code, err)
	}
	if left := f.keys("shards/1/done.json"); len(left) != 1 {
		t.Error("the shard has no end")
	}
}

// An attempt whose shard another has ended asks its process to end, and has that end's exit code.
func TestEndedByAnother(t *testing.T) {
	_, s := newFake(t)
	m := newMirror(t, s)
	if code, err := m.plan(ctx, []string{"spec.yaml", "--shards", "2"}); code != 0 || err != nil {
		t.Fatalf("plan: %d, %v", code, err)
	}
	time.AfterFunc(300*time.Millisecond, func() {
		if _, err := s.create(ctx, "shards/1/done.json", []byte(`{"generation": 9, "exit_code": 1}`)); err != nil {
			t.Error(err)
		}
	})
	began := time.Now()
	if code, err := m.run(ctx, 1, []string{"sleep 60"}); code != 1 || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "s3://", "s3://bucket", "s3://bucket/", "/folder", "http://x/y"} {
		if _, err := openStore(name); err == nil {
			t.Errorf("%q is taken for the folder of a night", name)
		}
	}
	t.Setenv("AWS_ENDPOINT_URL", "https://me:secret@host")
	if _, err := openStore("s3://bucket/night"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password in the address: %v", err)
	}
}
