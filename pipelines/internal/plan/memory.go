package plan

import (
	"cmp"
	"fmt"
	"strconv"

	"glmbatch/ingest"
	"glmbatch/internal/mapped"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
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
	Work    string // a folder for mapped files; empty: none may be made
}

// A tall design lives in a mapped file where it would take more than a share of what fits get: the system keeps its
// pages while there is room, and a run takes the memory of its chains alone. It is no larger than the limit, since each
// pass of a chain would wait for the disk, and has many rows to a column: of another, factors of its columns are what
// takes memory.
const (
	mappedFrom  = 32 // of what fits get
	mappedRatio = 64 // rows to a column
	tableShare  = 8  // of what fits get, which a table takes in the heap before the rest of it goes to files too
)

// mapped reports whether a design lives in a mapped file.
func (m Memory) mapped(rows, columns int, entries int64) bool {
	return m.Work != "" && mapped.Supported && m.Limit > 0 && entries == int64(rows)*int64(columns) &&
		rows >= mappedRatio*columns && 8*entries > m.Fits()/mappedFrom && 8*entries <= m.Limit
}

// MemoryOf is the memory that the fits of a pipeline may take.
func MemoryOf(p *spec.Pipeline) Memory {
	return Memory{Limit: int64(p.Run.Memory), Workers: cmp.Or(p.Run.Workers, p.Run.Chains)}
}

// The memory of a run apart from its fits, and the share of the rest for the ledger's engine.
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

// Fits is the memory that fits may take together.
func (m Memory) Fits() int64 {
	if m.Limit == 0 {
		return fitBytes
	}
	return m.Limit - m.engineBytes() - ownMemory
}

// reading is the memory that a table may take while it is read: its design needs as much again. 0 is the reader's
// own limit.
func (m Memory) reading() int64 {
	if m.Limit == 0 {
		return 0
	}
	return m.Fits() / 2
}

// Bound sets what may be read of a source.
func (m Memory) Bound(src *ingest.Source) {
	src.MaxBytes, src.MaxText, src.Ceiling = m.reading(), m.Limit, m.Limit
}

// beyond is the space that a table may take in files of a folder.
func (m Memory) beyond(files *mapped.Folder) ingest.Beyond {
	if files == nil {
		return ingest.Beyond{}
	}
	return ingest.Beyond{Memory: files.Allocator(), Heap: m.Fits() / tableShare, Most: m.Limit}
}

// need estimates the memory of one fit with entries stored entries of its design: the design, as much again for a
// basis or its factors, each chain's state, blocks of those that are drawn, summaries.
func need(entries int64, rows, columns, chains, workers int) int64 {
	n, p, c := int64(rows), int64(columns), int64(chains)
	const perColumn, vectors = 1 << 10, 4
	return 2*8*entries + c*vectors*8*(n+p) + min(c, int64(workers))*2*BlockBytes + perColumn*p
}

// regressionNeed estimates the memory of a regression: what all fits need, and the design once more than it is held,
// since its coding makes a copy.
func (m Memory) regressionNeed(rows, columns int, entries int64, chains int) Need {
	if m.mapped(rows, columns, entries) {
		entries = 0
	}
	return Need{
		Bytes:  need(entries, rows, columns, chains, m.Workers) + 8*entries,
		What:   fmt.Sprintf("%d rows × %d columns with %d chains need", rows, columns, chains),
		Remedy: "fit fewer columns or rows (by: fits groups apart)",
	}
}

// Reserve is asked for the memory of a design before that is allocated.
func (m Memory) Reserve(chains int) transform.Reserve {
	return func(rows, columns int, entries int64) error {
		return m.refuse(m.regressionNeed(rows, columns, entries, chains))
	}
}

// Weight is the memory of a unit with its fits: its table, and what they need as far as it can be predicted. One that
// is too heavy is admitted alone, and its fits are refused when their designs are asked for.
func (m Memory) Weight(u *Unit, fits []*Fit) int64 {
	if u.discrete != nil {
		return min(m.Fits(), u.Bytes()*int64(1+len(fits)))
	}
	if u.table == nil {
		return 0
	}
	weight := u.bytes
	if u.files != nil {
		weight = min(weight, m.Fits()/tableShare)
	}
	if m.Limit == 0 {
		return min(m.Fits(), 2*weight)
	}
	for _, f := range fits {
		rows, columns, entries := u.preview(f.Model)
		if u.memory.mapped(rows, columns, entries) {
			entries = 0
		}
		weight += need(entries, rows, columns, f.Chains(), m.Workers)
	}
	return min(m.Fits(), weight)
}

// refuse is an error if a fit cannot do with the limit.
func (m Memory) refuse(n Need) error {
	if m.Limit == 0 || n.Bytes <= m.Fits() {
		return nil
	}
	enough := n.Bytes + ownMemory
	enough = min(enough/(engineShare-1)*engineShare, enough+engineMost)/1e6 + 1
	err := fmt.Errorf("%s about %s, and the run may take %s, of which fits get %s",
		n.What, spec.Bytes(n.Bytes), spec.Bytes(m.Limit), spec.Bytes(m.Fits()))
	return words.Hint(err, fmt.Sprintf("give it --memory %dMB if the machine has so much, or %s", enough, n.Remedy))
}
