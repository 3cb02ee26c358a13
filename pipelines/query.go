package pipelines

import "glmbatch/report"

// LockedError reports that another process holds the ledger: exit code 3.
type LockedError = report.LockedError
