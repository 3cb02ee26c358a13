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
