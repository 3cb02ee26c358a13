package diag

// ESSBulk returns the effective sample size of the rank-normalised draws of one
// column, chains × iterations of equal lengths (it panics otherwise): the ESSBulk
// of Workspace.Summarize alone, in O(S log S) for S draws and a workspace of its
// own. It is NaN if the draws hold a NaN, are all equal, or are fewer than 6 per chain.
func ESSBulk(chains [][]float64) float64 {
	w := new(Workspace)
	w.load(chains)
	_, ess := w.bulk()
	return ess
}
