// Package chunk writes numbers into the engine's data chunks by the column, and reads them there. The engine's driver
// takes and gives a value at a time, boxed: of a draw that was two fifths of what storing it cost.
//
// It alone in this module takes addresses of foreign memory. It returns slices of the engine's memory,
// which end where the column ends and are valid until the chunk goes back to the engine. It knows no table.
//
// Read chunk.go (what the engine takes), read.go (what it answers).
package chunk
