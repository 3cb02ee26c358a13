package plan

import (
	"fmt"
	"strconv"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// BlockBytes is the size of a full block of draws.
const BlockBytes = 4 << 20

// fitBytes bounds what fits take side by side where there is no limit of memory.
const fitBytes = 4 << 30

// Memory says what a run may take. Nothing that it decides changes a bit: fits wait
// for each other, or are refused.
type Memory struct {
	Limit   int64 // of the process, in bytes; 0 for none
	Workers int
}

// What a run needs besides its fits, and how much of the rest the ledger's engine
// may have.
const (
	ownMemory    = 64 << 20
	engineShare  = 4
	engineMost   = 1e9
	engineDigits = 10
)

// Engine is the memory of the ledger's engine, as it takes it; empty for its own
// default.
func (m Memory) Engine() string {
	if m.Limit == 0 {
		return ""
	}
	return strconv.FormatInt(m.engineBytes()/1e6, engineDigits) + "MB"
}

func (m Memory) engineBytes() int64 { return min(engineMost, m.Limit/engineShare) }

// Fits is what fits may take side by side.
func (m Memory) Fits() int64 {
	if m.Limit == 0 {
		return fitBytes
	}
	return m.Limit - m.engineBytes() - ownMemory
}

// need estimates the memory of one fit with so many stored entries of its design:
// the design, as much again for a basis or its factors, each chain's state, blocks
// of those that are drawn, summaries.
func need(entries int64, rows, columns, chains, workers int) int64 {
	n, p, c := int64(rows), int64(columns), int64(chains)
	const perColumn, vectors = 1 << 10, 4
	return 2*8*entries + c*vectors*8*(n+p) + min(c, int64(workers))*2*BlockBytes + perColumn*p
}

// Weight is the memory of a unit with so many fits: its table, and what the fits need. One that is too heavy is
// admitted alone, and its fits are refused once their design tells.
func (m Memory) Weight(u *Unit, fits, chains int) int64 {
	switch {
	case u.discrete != nil:
		return min(m.Fits(), u.Bytes()*int64(1+fits))
	case u.table == nil:
		return 0
	}
	bytes := u.table.Bytes()
	weight := 2 * bytes
	if m.Limit > 0 {
		rows, columns := int(u.table.Data.NumRows()), int(u.table.Data.NumCols())
		weight = bytes + int64(fits)*need(bytes/8, rows, columns, chains, m.Workers)
	}
	return min(m.Fits(), weight)
}

// refuse is an error if a fit cannot do with the limit.
func (m Memory) refuse(n Need) error {
	if m.Limit == 0 || n.Bytes <= m.Fits() {
		return nil
	}
	enough := (n.Bytes+ownMemory)*engineShare/(engineShare-1)/1e6 + 1
	err := fmt.Errorf("%s about %s, and the run may take %s, of which fits get %s",
		n.What, spec.Bytes(n.Bytes), spec.Bytes(m.Limit), spec.Bytes(m.Fits()))
	return words.Hint(err, fmt.Sprintf("give it --memory %dMB, or %s", enough, n.Remedy))
}
