package selection_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/infer/selection"
)

// pinned returns a regression on an intercept and four candidates.
func pinned(t *testing.T, slab prior.Prior) *glm.Target {
	t.Helper()
	const n, d = 20, 5
	x := design.NewDense(n, d)
	data := &glm.Data{X: x, Y: make([]float64, n)}
	m := glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"},
		Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}}
	for j := range d {
		data.Names = append(data.Names, string(rune('a'+j)))
		m.Coefficients = append(m.Coefficients, slab)
	}
	m.Coefficients[0] = prior.Prior{Kind: prior.Normal, Scale: 2}
	for i := range n {
		x.Col(0)[i], data.Y[i] = 1, float64(i*i%7+i*3%4)/2
		for j := 1; j < d; j++ {
			x.Col(j)[i] = float64(i*(2*j+1)%(7+j)-4) / 4
		}
	}
	target, err := glm.NewTarget(data, m)
	must(t, err)
	return target
}

var slab = prior.Prior{Kind: prior.SpikeSlab, Inclusion: 0.3, Scale: 0.8}

// TestPinned pins the draws of each method and the exact probabilities. They are equal on every processor. If they must
// change, raise the version of the package that changes them.
func TestPinned(t *testing.T) {
	const versions = "selection/1 mrf/1"
	if got := conjugate.SelectionVersion + " " + mrf.Version; got != versions {
		t.Errorf("versions are %s, pinned are %s", got, versions)
	}
	for _, c := range []struct {
		name, want string
		method     selection.Method
	}{
		{"gibbs", "779e7d787ccf1ba3bd0832d171bb63e8", selection.Gibbs},
		{"herded", "f755914f88415c66bd0832d171bb63e8", selection.Herded},
		{"exact", "4cc2efbae8f7b687bd0832d171bb63e8", selection.Exact},
	} {
		s, err := selection.New(pinned(t, slab), selection.Options{Method: c.method})
		must(t, err)
		hash := sha256.New()
		_ = binary.Write(hash, binary.LittleEndian, s.Inclusion())
		got := infertest.Bits(t, s) + hex.EncodeToString(hash.Sum(nil)[:8])
		if got != c.want || s.Model().Variables() != 4 {
			t.Errorf("%s: bits with hash %s, pinned are %s", c.name, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := selection.New(pinned(t, slab), selection.Options{Method: "nuts"})
	refused(err, `the method is "nuts"; use gibbs, herded or exact`)
	_, err = selection.New(pinned(t, prior.Prior{Kind: prior.Laplace, Scale: 1}), selection.Options{Method: selection.Exact})
	refused(err, "0 coefficients with the prior spike_slab")
	s, err := selection.New(pinned(t, slab), selection.Options{Method: selection.Exact})
	must(t, err)
	_, err = s.Kernel(infer.Chain{Count: 1})
	refused(err, "no random stream")
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "refused")})
	must(t, err)
	state, err := k.MarshalBinary()
	must(t, err)
	state[1+8+8*6] = 7 // after a version, a length and six parameters
	refused(k.UnmarshalBinary(state), "an indicator is 7")
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
