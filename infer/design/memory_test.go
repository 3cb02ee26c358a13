package design

import (
	"errors"
	"math"
	"slices"
	"testing"

	"glmbatch/internal/simd"
)

// place counts how often each number became idle.
type place struct {
	idle []int
	err  error
}

func (p *place) Zeros(n int) ([]float64, error) { return make([]float64, n), p.err }

func (p *place) Idle(first, last int) {
	for i := first; i < last; i++ {
		p.idle[i]++
	}
}

// A product of a design outside the heap is that of one in it, and every number is idle after it was read; products by
// samplers, which will read it again, leave it as it is.
func TestPlace(t *testing.T) {
	const n, d = idleRows + 1000, 5
	heap, b := NewDense(n, d), make([]float64, d)
	for i := range heap.Values {
		heap.Values[i] = math.Sin(float64(i))
	}
	for j := range b {
		b[j] = 1 / float64(j-1)
	}
	b[1] = 0
	p := &place{idle: make([]int, n*d)}
	x := &Dense{Rows: n, Cols: d, Values: heap.Values, Place: p}
	want, got := make([]float64, n), slices.Repeat([]float64{7}, n)
	Multiplied(heap, b, want)
	clear(p.idle)
	x.AddProduct(simd.Vector(), b, make([]float64, n))
	if slices.Max(p.idle) != 0 {
		t.Error("idle after a sampler's product")
	}
	Multiplied(x, b, got)
	if !slices.Equal(got, want) {
		t.Error("the product has other bits")
	}
	if slices.Min(p.idle) != 1 || slices.Max(p.idle) != 1 {
		t.Errorf("numbers were idle %d to %d times", slices.Min(p.idle), slices.Max(p.idle))
	}
	clear(p.idle)
	IdleColumn(x, 3)
	IdleRows(x, 10, 20)
	for i, times := range p.idle {
		want := 0
		if i/n == 3 {
			want++
		}
		if i%n >= 10 && i%n < 20 {
			want++
		}
		if times != want {
			t.Fatalf("number %d was idle %d times, want %d", i, times, want)
		}
	}
	IdleColumn(heap, 3)
	IdleRows(NewSparse(3, 1, 0), 0, 3)
	if beside := x.ZerosLike(); len(beside.Values) != n*d || beside.Place != nil {
		t.Error("the matrix beside it is another")
	}
	p.err = errors.New("full")
	defer func() {
		var none *PlaceError
		if err, ok := recover().(error); !ok || !errors.As(err, &none) || !errors.Is(err, p.err) {
			t.Errorf("panic with %v", err)
		}
	}()
	x.ZerosLike()
}
