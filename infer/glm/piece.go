package glm

// pieceRows is the number of rows that a piece works on together: of 20 columns they
// are 40 kB, which stay in a core's cache while many points pass over them. It is a
// multiple of family.ChunkRows.
const pieceRows = 256

// Of tallRows rows on, sums over all rows are taken over parts of at least partRows rows, at most
// maxParts of them, and then over the parts in their order. The parts depend on the number of rows
// alone, so that they may be taken side by side.
const tallRows, partRows, maxParts = 1 << 14, 1 << 13, 32

// TallVersion names the parts of a posterior of many rows, how its penalised point is found, and how chains come from
// afar: another one is another sequence of draws.
const TallVersion = "tall/3"

// Tall reports whether so many rows are taken in parts.
func Tall(rows int) bool { return rows >= tallRows }

// parts returns the number of parts that the rows have, and the number of rows of each part except the last.
func (t *Target) parts() (count, size int) {
	n := t.Rows()
	if !Tall(n) {
		return 1, n
	}
	size = max(partRows, (n+maxParts-1)/maxParts)
	size = (size + pieceRows - 1) / pieceRows * pieceRows
	return (n + size - 1) / size, size
}

// piece is some rows of a target under work, side by side in memory.
type piece struct {
	t       *Target
	part    Target // these rows
	data    Data
	first   int
	block   []float64
	columns []float64 // of the design, without gaps
	eta     []float64 // one number for each row
	all     []float64 // memory of eta
}

// newPiece returns a piece without rows. Memory: 256 rows.
func newPiece(t *Target) *piece {
	m := min(t.Rows(), pieceRows)
	return &piece{t: t, block: make([]float64, m*t.Cols()), all: make([]float64, m)}
}

// load puts rows first to last−1 under work, pieceRows of them at most.
func (p *piece) load(first, last int) {
	t := p.t
	last = min(last, first+pieceRows, t.Rows())
	m := last - first
	p.first, p.eta, p.columns = first, p.all[:m], p.block[:m*t.Cols()]
	for j := range t.Cols() {
		t.data.X.Read(j, first, p.columns[j*m:(j+1)*m])
	}
	p.part, p.data = *t, Data{Y: t.data.Y[first:last]}
	p.part.data = &p.data
	if t.weights != nil {
		p.part.weights = t.weights[first:last]
	}
	p.part.rows = t.rows.Part(first, last)
}

// predict writes offset + X·beta to eta.
func (p *piece) predict(beta []float64) {
	if offset := p.t.data.Offset; offset != nil {
		copy(p.eta, offset[p.first:])
	} else {
		clear(p.eta)
	}
	p.t.kernels.AxpyColumns(beta, p.columns, p.eta)
}
