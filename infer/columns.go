package infer

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
