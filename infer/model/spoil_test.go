package model

import "glmbatch/infer"

// Spoil adds to a number of the cached linear predictor of a chain, in the last row of the last predictor.
func Spoil(k infer.Kernel, by float64) {
	chains := k.(*kernel).chains
	eta := chains[len(chains)-1].Point().Eta()
	eta[len(eta)-1] += by
}
