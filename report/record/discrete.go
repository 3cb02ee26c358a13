package record

// DiscreteFamily is the family of fits of discrete systems: models of kind mrf.
const DiscreteFamily = "mrf"

// Discrete is what is stored of a fit of discrete variables besides functionals of their
// states, which are its parameters. Slices that a fit does not have stay nil.
type Discrete struct {
	Variables, Edges int
	Labels           []string // of states
	Rows, Columns    int      // of an image or grid; 0 of other data
	Interaction      string
	LogZ             float64 // NaN: unknown
	BestLogLik       float64
	BestChain        int // 0-based; −1: none
	Gated            bool
	ModelBytes       int64
	ChainBytes       int64 // 0: no chains

	IDs          []string
	Observation  []float64 // NaN: none
	Truth        []int16   // −1: unknown
	Best         []uint8
	Probability  []float64 // of variable i in state a at i·len(Labels) + a; NaN: unknown
	MCSE         []float64 // NaN: unknown
	Certificates []Certificate
}

// Certificate is an error that is proved, or why there is none.
type Certificate struct {
	Method, Bounded string
	IDs             []string // of the variables it speaks of; nil: all
	Variables       int
	Updates         int64   // 0: none
	Bound           float64 // NaN: nothing is proved
	Note            string
}
