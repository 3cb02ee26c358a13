package infer

// Block is a run of consecutive draws of one chain, stored by parameter, so
// that any range of parameters is contiguous: draw i of parameter p stands at
// Values[p*Draws+i].
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

// Columns holds all draws of the parameters First … First+Params−1 (0-based) of
// one fit: draw i of chain c of parameter First+p stands at
// Values[(p*Chains+c)*Draws+i]. A Block has some draws of one chain, Columns
// have every chain whole.
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
