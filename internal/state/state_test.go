package state

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	want := []float64{1, math.Inf(1), math.Copysign(0, -1), 5e-324}
	data := AppendFloats(binary.LittleEndian.AppendUint64([]byte{7}, 9), want)
	r := NewReader("x", data)
	b, w, got := r.Byte(), r.Word(), r.Floats(4, "numbers")
	if b != 7 || w != 9 || !slices.Equal(got, want) || !math.Signbit(got[2]) || r.Rest() != 0 || r.Err() != nil {
		t.Errorf("read %d, %d, %v, %d bytes left, %v", b, w, got, r.Rest(), r.Err())
	}
	for cut := range len(data) {
		r := NewReader("x", data[:cut])
		r.Byte()
		r.Word()
		if out := r.Floats(4, "numbers"); r.Err() == nil || len(out) != 4 || slices.Max(out) != 0 {
			t.Errorf("%d of %d bytes: %v, %v", cut, len(data), out, r.Err())
		}
	}
}

// The first error stays, whatever is read after it.
func TestFirstErrorStays(t *testing.T) {
	for what, c := range map[string]struct {
		read func(*Reader)
		says string
	}{
		"another length": {func(r *Reader) { r.Floats(3, "draws") }, "x: chain state has 2 draws, this fit has 3"},
		"not finite":     {func(r *Reader) { r.Finite(2, "draws") }, "x: chain state is damaged: one of its draws is NaN"},
	} {
		r := NewReader("x", AppendFloats(nil, []float64{1, math.NaN()}))
		c.read(r)
		r.Bytes(1000)
		if r.Err() == nil || !strings.Contains(r.Err().Error(), c.says) {
			t.Errorf("%s: %v, want %q", what, r.Err(), c.says)
		}
	}
}
