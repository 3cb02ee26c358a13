package cggibbs

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
)

// restored saves a chain, and returns another that was restored from it.
func restored(t *testing.T, k *kernel) *kernel {
	t.Helper()
	state, err := k.MarshalBinary()
	must(t, err)
	other, err := k.setup.Kernel(infer.Chain{Index: 2, Count: 4, Stream: infer.NewStream(99, "another")})
	must(t, err)
	must(t, other.UnmarshalBinary(state))
	return other.(*kernel)
}

// A chain that is saved and restored before every iteration gives the bits of
// one that is left alone, across refreshes, whatever the options.
func TestRestoredChainGivesTheSameBits(t *testing.T) {
	for _, f := range familyNames {
		for _, o := range []Options{{RefreshEvery: 8}, {RefreshEvery: 1}, {RefreshEvery: -1}, {Scan: "random", RefreshEvery: 5}, {Uncached: true, RefreshEvery: 3}} {
			target := posterior(t, f, 12, 4, unitNormal)
			a, b := chain(t, target, o), chain(t, target, o)
			x, y := make([]float64, target.Dim()), make([]float64, target.Dim())
			for i := range 30 {
				b = restored(t, b)
				u, v := step(t, a), step(t, b)
				a.Position(x)
				b.Position(y)
				for j := range x {
					if math.Float64bits(x[j]) != math.Float64bits(y[j]) || u != v {
						t.Fatalf("%s, %+v, iteration %d: %v and %+v, restored %v and %+v", f, o, i, x, u, y, v)
					}
				}
				sa, _ := a.MarshalBinary()
				if sb, _ := b.MarshalBinary(); !bytes.Equal(sa, sb) {
					t.Fatalf("%s, %+v, iteration %d: states differ", f, o, i)
				}
			}
		}
	}
}

// Just before a refresh the state is O(d), else O(d + n).
func TestStateIsSmallBeforeRefresh(t *testing.T) {
	k := chain(t, posterior(t, "bernoulli", 500, 3, unitNormal), Options{RefreshEvery: 4})
	for i := range 9 {
		state, _ := k.MarshalBinary()
		if small := len(state) < 200; small != (i%4 == 0) {
			t.Errorf("before iteration %d the state has %d bytes", i, len(state))
		}
		step(t, k)
	}
}

func TestDamagedStateIsRefused(t *testing.T) {
	target := posterior(t, "gaussian", 6, 2, unitNormal)
	k := chain(t, target, Options{})
	step(t, k)
	good, _ := k.MarshalBinary()
	edit := func(f func(s []byte) []byte) []byte { return f(bytes.Clone(good)) }
	set := func(at int, values ...byte) []byte {
		return edit(func(s []byte) []byte { copy(s[at:], values); return s })
	}
	nan := []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
	const coordinates, streamAt = 10, 10 + 8 + 3*8
	cacheAt := streamAt + 1 + int(good[streamAt])
	wider := chain(t, posterior(t, "gaussian", 6, 3, unitNormal), Options{})
	taller := chain(t, posterior(t, "gaussian", 7, 2, unitNormal), Options{})
	for _, c := range []struct {
		name string
		to   *kernel
		data []byte
		want string
	}{
		{"version", k, set(0, 2), "version 2, this sampler reads 1"},
		{"flags", k, set(1, 3), "damaged"},
		{"iteration", k, set(2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "iteration -1"},
		{"wider model", wider, good, "3 coordinates, this fit has 4"},
		{"taller data", taller, good, "cached numbers, this fit has"},
		{"huge length", k, set(coordinates, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), "coordinates, this fit has 3"},
		{"NaN coordinate", k, set(coordinates+8, nan...), "one of its coordinates is NaN"},
		{"stream length", k, set(streamAt, 3), "chain state"},
		{"stream version", k, set(streamAt+1, 77), "random stream"},
		{"NaN cache", k, set(cacheAt+8, nan...), "cached number 0 is NaN"},
		{"stale cache", k, edit(func(s []byte) []byte { s[cacheAt+8+7] ^= 0x80; return s }), "its coordinates give"},
		{"longer", k, append(bytes.Clone(good), 0), "1 bytes too many"},
		{"empty", k, nil, "cut short"},
	} {
		err := c.to.UnmarshalBinary(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	for n := range good {
		if k.UnmarshalBinary(good[:n]) == nil {
			t.Errorf("a state cut to %d bytes was accepted", n)
		}
	}
	if now, _ := k.MarshalBinary(); !bytes.Equal(now, good) {
		t.Error("refused states have changed the chain")
	}
}

func FuzzUnmarshal(f *testing.F) {
	k := chain(f, posterior(f, "gaussian", 6, 2, unitNormal), Options{})
	good, _ := k.MarshalBinary()
	f.Add(good)
	if _, err := k.Step(); err != nil {
		f.Fatal(err)
	}
	later, _ := k.MarshalBinary()
	f.Add(later)
	f.Fuzz(func(t *testing.T, data []byte) {
		if k.UnmarshalBinary(data) == nil {
			_, _ = k.Step() // an error is fine, a panic is not
		}
	})
}
