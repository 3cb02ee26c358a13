// Package spool keeps the draws of unfinished and uncommitted fits on disk, one file per chain, so that a killed
// run resumes where it stopped.
//
// The draws of a fit of less than a second and little memory are held in memory: the same frames, without a file.
// It comes to a folder once it is more, or when whoever draws it is stopped, or cannot store it. Locks on bytes of
// one file mark the fits that a run draws.
//
// A fit's folder holds a manifest and one file per chain. A chain's file is a
// sequence of checksummed little-endian frames: a start frame, then blocks of
// draws, each with the kernel's state after its last draw. A frame counts once
// it has been synced. On opening, a chain's file is read to its first damaged
// or torn frame and cut there: what is lost is drawn again, with the same bits.
//
// Within a frame draws are stored by parameter, so that a range of parameters
// of many draws is read in a few contiguous pieces: memory does not grow with
// the number of draws or of parameters.
//
// If a sampler stores a draw as a row of few numbers (infer.Compact) frames hold these rows, and the start all
// parameters. Such rows are expanded by the sampler's Setup alone, so that a fit that waits for its ledger keeps
// its draws in a file besides.
//
// Read frame.go, then chain.go, then fit.go, claims.go, finished.go and draws.go; mark.go marks a run in progress,
// disk.go has all operations on the file system.
package spool
