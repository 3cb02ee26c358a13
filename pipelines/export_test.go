package pipelines

// Spool has a run keep its draws on disk from the first block on, as it does with those of long fits: tests see with
// it what a kill or a full disk leaves of short ones.
func (o *RunOptions) Spool() { o.disk.Patience = -1 }
