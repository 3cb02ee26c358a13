package main

import (
	"encoding/binary"
	"hash/crc32"
)

// The frames of pipeline's spool: a header of 40 bytes with their sizes, a payload, and the CRC-32C of both.
const (
	frameMagic = 0x31534247 // "GBS1"
	headerSize = 40
	infoSize   = 80
	crcSize    = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameSize is the length of the frame that begins with b; 0 if b is not the beginning of one.
func frameSize(b []byte) int64 {
	if len(b) < headerSize || binary.LittleEndian.Uint32(b) != frameMagic {
		return 0
	}
	field := func(at int) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
	draws, params, state, note := field(16), field(20), field(24), field(28)
	return headerSize + draws*params*8 + draws*infoSize + state + note + crcSize
}

// wholeFrames is the length of the whole frames with which b begins: a torn or damaged one ends them.
func wholeFrames(b []byte) (n int) {
	for {
		size := frameSize(b[n:])
		if size == 0 || size > int64(len(b)-n) {
			return n
		}
		frame := b[n:][:size]
		if crc32.Checksum(frame[:size-crcSize], castagnoli) != binary.LittleEndian.Uint32(frame[size-crcSize:]) {
			return n
		}
		n += int(size)
	}
}
