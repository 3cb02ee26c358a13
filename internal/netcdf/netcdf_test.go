package netcdf

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"glmbatch/internal/netcdf/netcdftest"
)

// example has two groups, each kind of variable, labels that careless writers trip over and more of them than a
// collection of the heap has.
func example() (groups []*Group, many *Dimension) {
	labels := []string{"", "(Intercept)", "größe\nzwei", strings.Repeat("long ", 2000)}
	for i := range 5000 {
		labels = append(labels, fmt.Sprint("level ", i))
	}
	many = &Dimension{Name: "level", Length: len(labels), Labels: labels}
	chain, draw := &Dimension{Name: "chain", Length: 3}, &Dimension{Name: "draw", Length: 7}
	posterior := &Group{Name: "posterior", Dimensions: []*Dimension{chain, draw, many},
		Attributes: []Attribute{{"title", "ä"}, {"empty", ""}, {"seconds", 1.5}, {"seed", int64(-1)}},
		Variables:  []*Variable{{Name: "beta", Over: []*Dimension{chain, draw, many}}, {Name: "sigma", Over: []*Dimension{chain, draw}}}}
	for i := range 20 {
		posterior.Attributes = append(posterior.Attributes, Attribute{fmt.Sprint("a", i), int64(i)})
	}
	other := &Dimension{Name: "chain", Length: 3}
	stats := &Group{Name: "sample_stats", Dimensions: []*Dimension{other},
		Variables: []*Variable{{Name: "n", Over: []*Dimension{other}, Kind: Int64}, {Name: "diverging", Over: []*Dimension{other}, Kind: Bool}}}
	return []*Group{posterior, stats}, many
}

// write writes the example to a file.
func write(t *testing.T) (path string, beta []float64) {
	groups, many := example()
	path = filepath.Join(t.TempDir(), "a.nc")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	must(t, Create(f, groups))
	beta = make([]float64, 3*7*many.Length)
	for i := range beta {
		beta[i] = math.Sin(float64(i))
	}
	beta[5] = math.NaN()
	half := len(beta) / 2
	v := groups[0].Variables
	w := groups[1].Variables
	for _, err := range []error{v[0].Put(f, half, beta[half:]), v[0].Put(f, 0, beta[:half]), v[1].Put(f, 0, beta[:21]),
		w[0].Put(f, 0, []float64{1, -2, 1 << 40}), w[1].Put(f, 0, []float64{0, 1, 0})} {
		must(t, err)
	}
	if err := w[1].Put(f, 1, []float64{0, 1, 0}); err == nil {
		t.Error("more values than there are places were taken")
	}
	return path, beta
}

// The written values are in the file to the bit, under their names.
func TestReadBack(t *testing.T) {
	path, beta := write(t)
	b, err := os.ReadFile(path)
	must(t, err)
	f := netcdftest.Read(b)
	_, many := example()
	a := f.Arrays["posterior/beta"]
	if !slices.Equal(a.Dimensions, []string{"chain", "draw", "level"}) || !slices.Equal(a.Shape, []int{3, 7, many.Length}) {
		t.Errorf("beta has the dimensions %q of %v", a.Dimensions, a.Shape)
	}
	for i, x := range a.Values {
		if math.Float64bits(x) != math.Float64bits(beta[i]) {
			t.Fatalf("value %d came back as %v, is %v", i, x, beta[i])
		}
	}
	if got := f.Arrays["posterior/level"]; !slices.Equal(got.Labels, many.Labels) || !slices.Equal(got.Dimensions, []string{"level"}) {
		t.Errorf("%d labels over %q came back, first %q", len(got.Labels), got.Dimensions, got.Labels[:3])
	}
	if got := f.Arrays["posterior/draw"].Values; !slices.Equal(got, []float64{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("draws are numbered %v", got)
	}
	if got := f.Arrays["sample_stats/n"].Values; !slices.Equal(got, []float64{1, -2, 1 << 40}) {
		t.Errorf("whole numbers came back as %v", got)
	}
	if got := f.Arrays["sample_stats/diverging"]; !slices.Equal(got.Values, []float64{0, 1, 0}) || got.Attributes["dtype"] != "bool" {
		t.Errorf("truths came back as %v, %v", got.Values, got.Attributes)
	}
	for name, want := range map[string]any{"title": "ä", "empty": "", "seconds": 1.5, "seed": int64(-1), "a19": int64(19)} {
		if got := f.Groups["posterior"][name]; got != want {
			t.Errorf("attribute %s is %v, want %v", name, got, want)
		}
	}
}

// Readers of HDF5 refuse a header whose checksum is not Jenkins' (the words of the first are his own).
func TestChecksum(t *testing.T) {
	for text, want := range map[string]uint32{"Four score and seven years ago": 0x17770551, "": 0xdeadbeef} {
		if got := lookup3([]byte(text)); got != want {
			t.Errorf("the checksum of %q is %#x, want %#x", text, got, want)
		}
	}
}

// Names are words that every reader takes.
func TestName(t *testing.T) {
	for s, want := range map[string]string{"sd_g__x": "sd_g__x", "(Intercept)": "_Intercept_", "größe": "gr__e", "": "_", "2nd": "_2nd", "a/b": "a_b"} {
		if got := Name(s); got != want {
			t.Errorf("the name of %q is %q, want %q", s, got, want)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
