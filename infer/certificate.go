package infer

// Certificate is an error that is proved, or why there is none.
type Certificate struct {
	Method  string   // what proves it
	Bounded string   // what Bound is of
	Names   []string // of the parameters that it speaks of
	Updates int64    // of single coordinates after which it holds
	Bound   float64  // NaN where nothing is proved
	Note    string   // what it rests on, or why there is none
}

// Certifier is a Setup that proves something of its chains.
type Certifier interface {
	// Certificates returns what is proved; nil where nothing was asked for.
	Certificates() []Certificate
}
