// Package chunk writes numbers into the engine's data chunks by the column. The engine's driver takes a value at a
// time, boxed: of a draw that was two fifths of what storing it cost.
//
// It alone in this module takes addresses of foreign memory. What it hands out are slices of the engine's memory,
// which end where the column ends and are valid until the chunk goes back to the engine. It knows no table.
//
// Read chunk.go.
package chunk
