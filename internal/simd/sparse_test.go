package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// some returns a sparse column: increasing rows below n, with values.
func some(r *rand.Rand, n int) (rows []int32, values []float64) {
	share := r.Float64()
	for i := range n {
		if r.Float64() < share {
			rows, values = append(rows, int32(i)), append(values, r.NormFloat64())
		}
	}
	return rows, values
}

// Every form has the portable one's bits on columns of any number of entries, and reads
// and writes no other rows.
func TestSparseFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 31))
	ways := vectors()
	for _, n := range slices.Concat(lengths(), []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) {
		rows, values := some(r, n)
		v := column(r, n, 3, n%2 == 0)
		agree(t, ways, "GatheredDot", len(rows), func(k Kernels) []float64 { return []float64{k.GatheredDot(values, rows, v)} })
		agree(t, ways, "ScatteredAxpy", len(rows), func(k Kernels) []float64 {
			dst := slices.Clone(v)
			k.ScatteredAxpy(0.7, values, rows, dst)
			return dst
		})
		agree(t, ways, "Gather", len(rows), func(k Kernels) []float64 {
			dst := make([]float64, len(rows)+4)
			k.Gather(dst, rows, v)
			return dst
		})
	}
}

// Many columns are one after the other, some of them without entries.
func TestSparseColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 32))
	ways := vectors()
	for _, d := range []int{0, 1, 2, 7, 40} {
		const n, before = 50, 3
		starts, rows, values := []int{before}, make([]int32, before), make([]float64, before) // of columns that are not asked for
		for j := range d {
			if j%5 != 3 {
				i, x := some(r, n)
				rows, values = append(rows, i...), append(values, x...)
			}
			starts = append(starts, len(rows))
		}
		rows, values = append(rows, 1), append(values, 1)
		a, v := column(r, d, 1, false), column(r, n, 3, false)
		dots, sum := make([]float64, d), slices.Clone(v)
		for j := range d {
			part := rows[starts[j]:starts[j+1]]
			dots[j] = Scalar.GatheredDot(values[starts[j]:starts[j+1]], part, v)
			Scalar.ScatteredAxpy(a[j], values[starts[j]:starts[j+1]], part, sum)
		}
		for _, k := range append(ways, Scalar) {
			dst, at := make([]float64, d), slices.Clone(v)
			k.GatheredDots(dst, starts, values, rows, v)
			k.ScatteredAxpys(a, starts, values, rows, at)
			if i := firstDifference(dots, dst); i >= 0 {
				t.Errorf("%s: dot of column %d of %d is %v, by itself %v", k, i, d, dst[i], dots[i])
			}
			if i := firstDifference(sum, at); i >= 0 {
				t.Errorf("%s: row %d is %v after %d columns, one by one %v", k, i, at[i], d, sum[i])
			}
		}
	}
}

// Rows of a matrix, of any width.
func TestSparseRows(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 33))
	ways := vectors()
	for _, m := range []int{1, 7, 8, 9, 16, 24, 32, 40} {
		for _, n := range []int{1, 2, 9, 60} {
			rows, values := some(r, n)
			q, step := column(r, n*m, 3, false), column(r, m, 1, false)
			agree(t, ways, "SumRows", m, func(k Kernels) []float64 {
				dst := slices.Clone(step)
				k.SumRows(dst, values, rows, q)
				return dst
			})
			agree(t, ways, "AddRows", m, func(k Kernels) []float64 {
				to := slices.Clone(q)
				k.AddRows(step, values, rows, to)
				return to
			})
		}
	}
	for _, k := range append(ways, Scalar) {
		dst, q := make([]float64, 8), make([]float64, 24, 64)
		for i := range q {
			q[i] = float64(i)
		}
		k.SumRows(dst, []float64{1, 10}, []int32{0, 2}, q)
		k.AddRows([]float64{1, 1, 1, 1, 1, 1, 1, 1}, []float64{2}, []int32{1}, q)
		if dst[0] != 160 || dst[7] != 237 || q[8] != 10 || q[15] != 17 || q[7] != 7 || q[16] != 16 {
			t.Errorf("%s: %v, %v", k, dst, q)
		}
		for _, call := range []func(){
			func() { k.SumRows(dst, []float64{1}, []int32{3}, q) }, func() { k.AddRows(dst, []float64{1}, []int32{3}, q) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: row 3 of 3 was taken", k)
					}
				}()
				call()
			}()
		}
	}
}

// Their results, on whole numbers, where nothing is rounded.
func TestSparseOperations(t *testing.T) {
	rows, values := []int32{0, 2, 3, 5, 6}, []float64{1, 2, 3, 4, 5}
	v := []float64{10, 20, 30, 40, 50, 60, 70}
	for _, k := range forms() {
		if got := k.GatheredDot(values, rows, v); got != 10+60+120+240+350 {
			t.Errorf("%s: dot %v", k, got)
		}
		dst := slices.Clone(v)
		k.ScatteredAxpy(2, values, rows, dst)
		if want := []float64{12, 20, 34, 46, 50, 68, 80}; !slices.Equal(dst, want) {
			t.Errorf("%s: scattered to %v, want %v", k, dst, want)
		}
		k.Gather(dst[:5], rows, v)
		if want := []float64{10, 30, 40, 60, 70}; !slices.Equal(dst[:5], want) {
			t.Errorf("%s: gathered %v, want %v", k, dst[:5], want)
		}
	}
}

// A row that the vector does not have panics in every form.
func TestSparseRowsAreChecked(t *testing.T) {
	v := make([]float64, 4, 64)
	for _, k := range forms() {
		for _, rows := range [][]int32{{1, 4}, {-1, 2}, {0, 1, 2, 3, math.MaxInt32}} {
			values := make([]float64, len(rows))
			for name, call := range map[string]func(){
				"GatheredDot":    func() { k.GatheredDot(values, rows, v) },
				"ScatteredAxpy":  func() { k.ScatteredAxpy(1, values, rows, v) },
				"Gather":         func() { k.Gather(values, rows, v) },
				"GatheredDots":   func() { k.GatheredDots(values[:1], []int{0, len(rows)}, values, rows, v) },
				"ScatteredAxpys": func() { k.ScatteredAxpys(values[:1], []int{0, len(rows)}, values, rows, v) },
			} {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s, %s: rows %v of %d were taken", name, k, rows, len(v))
						}
					}()
					call()
				}()
			}
		}
	}
}
