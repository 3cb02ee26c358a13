package exchange

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// rows writes comma-separated rows, and keeps the first error.
type rows struct {
	w        io.Writer
	row      []byte
	err      error
	nan, inf string // how numbers that are none, and infinite ones, are spelled
}

func (r *rows) separate() {
	if len(r.row) > 0 {
		r.row = append(r.row, ',')
	}
}

// text writes a name, quoted where it must be (RFC 4180).
func (r *rows) text(s string) {
	r.separate()
	if s == "" || strings.ContainsAny(s, "\",\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	r.row = append(r.row, s...)
}

// number writes the shortest digits that give the same float64 again.
func (r *rows) number(x float64) {
	r.separate()
	switch {
	case math.IsNaN(x):
		r.row = append(r.row, r.nan...)
	case math.IsInf(x, 1):
		r.row = append(r.row, r.inf...)
	case math.IsInf(x, -1):
		r.row = append(append(r.row, '-'), r.inf...)
	default:
		r.row = strconv.AppendFloat(r.row, x, 'g', -1, 64)
	}
}

func (r *rows) integer(i int) {
	r.separate()
	r.row = strconv.AppendInt(r.row, int64(i), 10)
}

// statistic writes that of draw i, NaN where it is not known.
func (r *rows) statistic(m *matrix, i int, s statistic) {
	if len(m.stats) == 0 {
		r.number(math.NaN())
		return
	}
	r.number(s.of(&m.stats[i]))
}

func (r *rows) end() {
	r.row = append(r.row, '\n')
	if r.err == nil {
		_, r.err = r.w.Write(r.row)
	}
	r.row = r.row[:0]
}
