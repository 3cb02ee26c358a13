package spool

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
)

const params = 5

// block returns a block in which every number encodes its position.
func block(first, draws int) *infer.Block {
	b := infer.NewBlock(0, first, draws, params)
	for i := range draws {
		pos := make([]float64, params)
		for p := range pos {
			pos[p] = float64(1000*p + first + i)
		}
		b.Set(i, pos, infer.Info{LogLik: -float64(first + i), Evaluations: int64(first + i), Depth: 3, Divergent: (first+i)%2 == 1})
	}
	return b
}

func open(t *testing.T, root string, m Manifest) *Fit {
	t.Helper()
	f, err := Disk{}.Open(root, m)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func manifest() Manifest {
	return Manifest{Fingerprint: "0123456789abcdef0123456789abcdef0123456789abcdef", Params: params, Chains: 1}
}

// written makes a spool of a start and blocks of the given lengths.
func written(t *testing.T, root string, lengths ...int) string {
	t.Helper()
	f := open(t, root, manifest())
	c := f.Chains[0]
	must(t, c.Begin([]float64{1, 2, math.Inf(1), math.NaN(), math.Copysign(0, -1)}, "drawn for the test", []byte("s0"), 7))
	first := 0
	for i, n := range lengths {
		must(t, c.Append(block(first, n), []byte{'s', byte('1' + i)}, time.Duration(n)*time.Second))
		first += n
	}
	path := f.chainPath(0)
	must(t, f.Close())
	return path
}

func TestRoundTrip(t *testing.T) {
	root := t.TempDir()
	written(t, root, 3, 4, 2)
	c := open(t, root, manifest()).Chains[0]
	if c.Draws() != 9 || string(c.State()) != "s3" || c.cut != 0 {
		t.Fatalf("draws %d, state %q, cut %d; want 9, s3, 0", c.Draws(), c.State(), c.cut)
	}
	if c.StartNote != "drawn for the test" || c.Start[1] != 2 || !math.IsInf(c.Start[2], 1) || c.SetupElapsed != 7 {
		t.Errorf("start %v %q %v", c.Start, c.StartNote, c.SetupElapsed)
	}
	if got := c.Elapsed(2, 5); got != 3*time.Second {
		t.Errorf("Elapsed(2, 5) = %v, want 3s", got)
	}
	for from := range 9 {
		for to := from + 1; to <= 9; to++ {
			checkColumns(t, c, from, to)
		}
	}
}

func checkColumns(t *testing.T, c *Chain, from, to int) {
	t.Helper()
	dst := [][]float64{make([]float64, to-from), make([]float64, to-from)}
	must(t, c.Columns(dst, 2, 4, from, to))
	infos, err := c.Infos(from, to)
	must(t, err)
	for i := range to - from {
		it := from + i
		if dst[0][i] != float64(2000+it) || dst[1][i] != float64(3000+it) {
			t.Fatalf("window [%d, %d): draw %d is %v, %v", from, to, it, dst[0][i], dst[1][i])
		}
		if infos[i].LogLik != -float64(it) || infos[i].Evaluations != int64(it) || infos[i].Depth != 3 ||
			infos[i].Divergent != (it%2 == 1) {
			t.Fatalf("window [%d, %d): info %d is %+v", from, to, it, infos[i])
		}
	}
}

// planted opens a fit whose only chain's file holds data.
func planted(t *testing.T, data []byte) *Fit {
	t.Helper()
	root := t.TempDir()
	m := manifest()
	dir := filepath.Join(root, m.Fingerprint[:32])
	must(t, os.MkdirAll(dir, 0o755))
	m.Version = formatVersion
	must(t, new(Disk).writeManifest(filepath.Join(dir, manifestName), m))
	must(t, os.WriteFile(filepath.Join(dir, "chain-1.spool"), data, 0o644))
	return open(t, root, manifest())
}

// A file cut anywhere recovers exactly the frames that were whole before the cut, and continues to the same bytes.
func TestTornAnywhere(t *testing.T) {
	whole, err := os.ReadFile(written(t, t.TempDir(), 2, 1, 2))
	must(t, err)
	ends := frameEnds(t, 2, 1, 2)
	for cut := 0; cut < len(whole); cut += stride(cut, ends) {
		f := planted(t, whole[:cut])
		c := f.Chains[0]
		want := 0
		for _, e := range ends {
			if e <= int64(cut) {
				want = int(e)
			}
		}
		if c.end != int64(want) {
			t.Fatalf("cut at %d: kept %d bytes, want %d", cut, c.end, want)
		}
		if info, err := os.Stat(f.chainPath(0)); err != nil || info.Size() != int64(want) {
			t.Fatalf("cut at %d: the file has %d bytes after it was opened, want %d (%v)", cut, info.Size(), want, err)
		}
		must(t, f.Close())
	}
}

// stride visits every byte around the frames' edges and heads, and every
// seventh elsewhere: each visit waits for the disk.
func stride(at int, ends []int64) int {
	for _, e := range ends {
		if d := at - int(e); -8 <= d && d < headerSize {
			return 1
		}
	}
	return 7
}

// frameEnds are the offsets at which a spool of these blocks may be cut whole.
func frameEnds(t *testing.T, lengths ...int) []int64 {
	t.Helper()
	var ends []int64
	for i := range len(lengths) + 1 {
		info, err := os.Stat(written(t, t.TempDir(), lengths[:i]...))
		must(t, err)
		ends = append(ends, info.Size())
	}
	return ends
}

// A damaged byte anywhere is noticed: the frame that holds it and those behind
// it are dropped, none is read as good.
func TestDamageAnywhere(t *testing.T) {
	ends := frameEnds(t, 2, 1, 2)
	rng := rand.New(rand.NewPCG(1, 2))
	whole, err := os.ReadFile(written(t, t.TempDir(), 2, 1, 2))
	must(t, err)
	for at := 0; at < len(whole); at += stride(at, ends) {
		data := slices.Clone(whole)
		data[at] ^= byte(1 + rng.IntN(255))
		f := planted(t, data)
		want := int64(0)
		for _, e := range ends {
			if e <= int64(at) {
				want = e
			}
		}
		if c := f.Chains[0]; c.end != want {
			t.Fatalf("byte %d damaged: kept %d bytes, want %d", at, c.end, want)
		}
		must(t, f.Close())
	}
}

func TestAppendAfterRecoveryGivesTheSameFile(t *testing.T) {
	want, err := os.ReadFile(written(t, t.TempDir(), 2, 3))
	must(t, err)
	root := t.TempDir()
	path := written(t, root, 2, 3)
	must(t, os.Truncate(path, int64(len(want)-1)))
	c := open(t, root, manifest()).Chains[0]
	must(t, c.Append(block(2, 3), []byte("s2"), 3*time.Second))
	got, err := os.ReadFile(path)
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Error("the file differs from an undisturbed one")
	}
}

func TestSecondProcessIsTurnedAway(t *testing.T) {
	root := t.TempDir()
	open(t, root, manifest())
	var busy *BusyError
	if _, err := (Disk{}).Open(root, manifest()); !errors.As(err, &busy) {
		t.Fatalf("second Open gave %v, want a BusyError", err)
	}
}

func TestOtherManifestStartsAnew(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"other shape": func(*testing.T, string) {},
		"damaged": func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, manifestName), []byte("{"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := written(t, root, 2)
			change(t, filepath.Dir(path))
			m := manifest()
			m.Chains = 2
			f := open(t, root, m)
			if len(f.Chains) != 2 || f.Chains[0].Draws() != 0 {
				t.Errorf("%d chains, first has %d draws; want 2 empty chains", len(f.Chains), f.Chains[0].Draws())
			}
		})
	}
}

// A folder of rows has starts of another length than its draws, and a version that a program without rows refuses;
// one that holds parameters of the same fit, as it was before, is redrawn.
func TestRowsAreToldApart(t *testing.T) {
	root := t.TempDir()
	written(t, root, 2)
	m := manifest()
	m.Start = 3
	for range 2 {
		f := open(t, root, m)
		c := f.Chains[0]
		if c.Start == nil {
			if c.Draws() != 0 {
				t.Fatalf("%d draws of parameters were taken for rows", c.Draws())
			}
			must(t, c.Begin([]float64{7, 8, 9}, "", []byte("s"), 0))
			must(t, c.Append(block(0, 4), []byte("t"), 0))
		} else if !slices.Equal(c.Start, []float64{7, 8, 9}) || c.Draws() != 4 {
			t.Errorf("start %v and %d draws, want 7 8 9 and 4", c.Start, c.Draws())
		}
		must(t, f.Close())
	}
	dir := folder(root, m.Fingerprint)
	if stored, err := (Disk{}).readManifest(filepath.Join(dir, manifestName)); err != nil || stored.Version != rowsVersion {
		t.Errorf("manifest %+v, %v, want version %d", stored, err, rowsVersion)
	}
}

// The draws of a finished fit come back by any piece; where a byte is wrong or gone
// they are not opened.
func TestKeptDraws(t *testing.T) {
	f := open(t, t.TempDir(), manifest())
	values := make([]float64, 1<<15+3)
	for i := range values {
		values[i] = float64(i)
	}
	pieces := func(yield func([]float64, error) bool) { _ = yield(values[:5], nil) && yield(values[5:], nil) }
	for range 2 { // the second overwrites
		must(t, f.WriteDraws(pieces))
	}
	d, err := f.OpenDraws(int64(len(values)))
	must(t, err)
	got := make([]float64, 100)
	if err := d.Read(got, 1<<14-50); err != nil || !slices.Equal(got, values[1<<14-50:][:100]) {
		t.Errorf("read %v, %v", got[:3], err)
	}
	must(t, d.Close())
	path := filepath.Join(f.dir, drawsName)
	data, err := os.ReadFile(path)
	must(t, err)
	wrong := slices.Clone(data)
	wrong[1000] ^= 1
	for _, bad := range [][]byte{wrong, data[:len(data)-1], data[:8], nil} {
		must(t, os.WriteFile(path, bad, 0o644))
		if _, err := f.OpenDraws(int64(len(values))); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%d bytes: %v, want an error that says damaged", len(bad), err)
		}
	}
}

// Draws count once they are synced: the last that happens to their file is a sync.
func TestKeptDrawsAreSynced(t *testing.T) {
	last := Op("")
	d := Disk{Before: func(op Op, path string) error {
		if filepath.Base(path) == drawsName {
			last = op
		}
		return nil
	}}
	f, err := d.Open(t.TempDir(), manifest())
	must(t, err)
	defer f.Close()
	err = f.WriteDraws(func(yield func([]float64, error) bool) { yield([]float64{1, 2, 3}, nil) })
	if err != nil || last != OpSync {
		t.Errorf("the last operation is %q, %v", last, err)
	}
}

// A record of a finished fit that lost a bit is damaged, and not taken.
func TestDamagedRecord(t *testing.T) {
	f := open(t, t.TempDir(), manifest())
	must(t, f.Finish([]byte("a record")))
	if got, err := f.record(); err != nil || string(got) != "a record" {
		t.Fatalf("%q, %v", got, err)
	}
	path := filepath.Join(f.dir, finishedName)
	data, err := os.ReadFile(path)
	must(t, err)
	data[len(data)-1] ^= 4
	must(t, os.WriteFile(path, data, 0o644))
	if _, err := f.record(); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a flipped bit: %v", err)
	}
}

func TestRemove(t *testing.T) {
	root := filepath.Join(t.TempDir(), "work")
	written(t, root, 1)
	must(t, open(t, root, manifest()).Remove())
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work folder is still there: %v", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	f, err := Disk{}.Open(b.TempDir(), Manifest{Fingerprint: "bench", Params: 7130, Chains: 1})
	must(b, err)
	defer f.Close()
	const draws = 128
	blk := infer.NewBlock(0, 0, draws, 7130)
	for b.Loop() {
		blk.First = f.Chains[0].Draws()
		must(b, f.Chains[0].Append(blk, nil, 0))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(draws*7130), "ns/value")
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
