package exit

// The exit codes, for a shell that looks in the morning.
const (
	Pass        = 0   // every fit passes its gates
	Fail        = 1   // some fit failed its gates, or erred
	Usage       = 2   // the spec or the call is wrong
	Uncommitted = 3   // something is drawn but not in the ledger, its copy or its report; or planned data are missing
	Interrupted = 130 // the run was stopped
)
