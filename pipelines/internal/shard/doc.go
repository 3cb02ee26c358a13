// Package shard shares a night among machines. A plan freezes what decides a night, in a folder that all of them see.
// Each shard is a run of some of the fits into a ledger of its own, a fragment, that begins with what
// the ledger knew of these fits when the night was planned. Gathering loads the fragments into the ledger.
//
// Names alone decide which shard a fit is of, and names and seed its draws: who carries a shard out, how often and
// in which order, moves no bit.
//
// Read plan.go and manifest.go; then base.go (what the ledger knew), work.go (a shard's own folder, its fragment, its
// progress), state.go (that of all shards), gather.go.
package shard
