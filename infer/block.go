package infer

// Block is a run of consecutive draws of one chain, stored by parameter, so that any range of parameters is
// contiguous: draw i of parameter p is Values[p*Draws+i].
type Block struct {
	Chain  int // 0-based
	First  int // 0-based iteration of the block's first draw, warm-up counted
	Draws  int
	Params int
	Values []float64 // len Draws*Params
	Infos  []Info    // len Draws
}

// NewBlock returns an empty block with room for draws iterations of params
// parameters.
func NewBlock(chain, first, draws, params int) *Block {
	return &Block{
		Chain: chain, First: first, Draws: draws, Params: params,
		Values: make([]float64, draws*params),
		Infos:  make([]Info, draws),
	}
}

// Set stores the position and info of draw i.
func (b *Block) Set(i int, position []float64, info Info) {
	for p, v := range position {
		b.Values[p*b.Draws+i] = v
	}
	b.Infos[i] = info
}

// Column returns the draws of parameter p; it aliases the block.
func (b *Block) Column(p int) []float64 { return b.Values[p*b.Draws : (p+1)*b.Draws] }

// Truncate keeps the first n draws and drops the others. The columns are moved
// together in place; cost O(n·Params).
func (b *Block) Truncate(n int) {
	for p := range b.Params {
		copy(b.Values[p*n:(p+1)*n], b.Values[p*b.Draws:p*b.Draws+n])
	}
	b.Draws = n
	b.Values = b.Values[:n*b.Params]
	b.Infos = b.Infos[:n]
}

// Reset prepares the block for draws further iterations from first on; it
// allocates only when it has never had that many.
func (b *Block) Reset(first, draws int) {
	need := draws * b.Params
	if cap(b.Values) < need {
		b.Values = make([]float64, need)
	}
	if cap(b.Infos) < draws {
		b.Infos = make([]Info, draws)
	}
	b.First, b.Draws = first, draws
	b.Values, b.Infos = b.Values[:need], b.Infos[:draws]
}

// Columns holds all draws of the parameters First … First+Params−1 (0-based) of one fit: draw i of chain c of
// parameter First+p is Values[(p*Chains+c)*Draws+i]. A Block has some draws of one chain, Columns have every chain
// whole.
type Columns struct {
	First, Params, Chains, Draws int
	Values                       []float64 // len Params*Chains*Draws
}

// Iterations holds what consecutive iterations of one chain reported.
type Iterations struct {
	Chain int // 0-based
	// First is the number of the iteration of Infos[0], counted from the kept
	// draws: 1 is the first of them, 0 the last iteration of the warm-up, −1 the
	// one before.
	First int
	Infos []Info
}

// Explainer is a Setup that chose how to sample, and explains the choice as text.
type Explainer interface {
	// Explain returns a sentence for the ledger.
	Explain() string
}

// Compact is a Setup whose chains store fewer numbers than they have parameters: a row holds an iteration, and
// Expand computes any parameters from it, to the bit that Kernel.Position writes.
type Compact interface {
	Setup
	// Row describes the numbers of a row: first those that a chain samples, some of
	// them parameters, then statistics and what Expand needs besides.
	Row() []RowEntry
	// Expand writes the draws of parameters first to last−1 of Parameters to dst,
	// draw i of parameter p at dst[(p−first)*stride+i]; with a stride of
	// len(iterations) that is a Block. rows holds as many rows of Row, of the chain
	// with this key, at these 0-based iterations, none of them in its warm-up.
	Expand(dst []float64, stride int, rows []float64, key uint64, iterations []int64, first, last int)
}

// RowEntry names one number of a row.
type RowEntry struct {
	Name string
	Kind RowKind
}

// RowKind is the use of a number of a row.
type RowKind string

// The kinds of row entries.
const (
	Shared    RowKind = "parameter" // a parameter of the same name
	Sampled   RowKind = "sampled"   // another coordinate of the chain, to be gated
	Statistic RowKind = "statistic" // a function of the sampled ones, to be gated
	Carried   RowKind = "carried"   // for Expand alone
)

// CompactKernel is a kernel of a Compact setup.
type CompactKernel interface {
	Kernel
	// Row writes the row of the current point to dst, len(Setup.Row). Carried numbers may be left out, as 0, in the
	// first Chain.Warmup iterations, whose draws are not kept.
	Row(dst []float64)
	// Key names the chain's own numbers in Expand. It is part of the state.
	Key() uint64
}
