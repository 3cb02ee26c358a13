package infer_test

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
)

// Pinned output: a change here changes every chain's bits, and must come with
// a new version of every algorithm in the ledger.
func TestStreamIsPinned(t *testing.T) {
	s := infer.NewStream(20260101, "pima", "diabetes", "gibbs", "0")
	var got [4]uint64
	for i := range got {
		got[i] = s.Uint64()
	}
	want := [4]uint64{0x6ba48ed98111922f, 0xd1244c26bf428760, 0xe0d540402cfcdfc0, 0x98d3823eaed6406d}
	if got != want {
		t.Errorf("first words %#x, want %#x", got, want)
	}
}

func TestStreamPathsAreLengthPrefixed(t *testing.T) {
	seen := map[uint64][]string{}
	for _, path := range [][]string{{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}, {}} {
		v := infer.NewStream(1, path...).Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("paths %q and %q give the same stream", path, other)
		}
		seen[v] = path
	}
	if infer.NewStream(1, "a").Uint64() == infer.NewStream(2, "a").Uint64() {
		t.Error("the seed does not matter")
	}
}

func TestStreamResumes(t *testing.T) {
	s := infer.NewStream(7, "chain")
	for range 100 {
		s.Float64()
	}
	state, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	r := new(infer.Stream)
	if err := r.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if a, b := s.Uint64(), r.Uint64(); a != b {
			t.Fatalf("word %d: %#x and %#x", i, a, b)
		}
	}
	for _, bad := range [][]byte{nil, {}, state[:1], state[:len(state)-1], append([]byte{9}, state[1:]...)} {
		if err := r.UnmarshalBinary(bad); err == nil {
			t.Errorf("state of %d bytes with version %v was taken", len(bad), bad)
		}
	}
}

// Float64 never gives 0 or 1, at the extreme words either: log u and log(1−u)
// stay finite.
// A uniform number is the middle of the 2⁻⁵² that its word's upper 52 bits name: 0 and 1
// cannot come up, and logs of it are finite.
func TestFloat64IsAMidpoint(t *testing.T) {
	words, numbers := infer.NewStream(3, "u"), infer.NewStream(3, "u")
	for range 1000 {
		want := math.Ldexp(2*float64(words.Uint64()>>12)+1, -53)
		if got := numbers.Float64(); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestFloat64IsOpen(t *testing.T) {
	least, most := (0.0+0.5)*0x1p-52, (float64(1<<52-1)+0.5)*0x1p-52
	if least <= 0 || most >= 1 || math.IsInf(math.Log1p(-most), 0) {
		t.Fatalf("the range is [%v, %v]", least, most)
	}
	s := infer.NewStream(3)
	for range 100_000 {
		if u := s.Float64(); u < least || u > most {
			t.Fatalf("u = %v is out of [%v, %v]", u, least, most)
		}
	}
}

func TestBlockTruncate(t *testing.T) {
	b := infer.NewBlock(2, 10, 4, 3)
	for i := range 4 {
		b.Set(i, []float64{float64(i), 10 + float64(i), 20 + float64(i)}, infer.Info{Evaluations: int64(i)})
	}
	b.Truncate(2)
	if want := []float64{0, 1, 10, 11, 20, 21}; !slices.Equal(b.Values, want) {
		t.Errorf("values %v, want %v", b.Values, want)
	}
	if got := b.Column(2); !slices.Equal(got, []float64{20, 21}) {
		t.Errorf("column 2 is %v", got)
	}
	if len(b.Infos) != 2 || b.Infos[1].Evaluations != 1 {
		t.Errorf("infos %v", b.Infos)
	}
	b.Reset(12, 4)
	if b.First != 12 || len(b.Values) != 12 || len(b.Infos) != 4 {
		t.Errorf("after Reset: first %d, %d values, %d infos", b.First, len(b.Values), len(b.Infos))
	}
}
