package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"glmbatch/infer"
)

// A frame is a header of headerSize bytes, a payload, and the CRC-32C of both:
//
//	 0  magic   uint32   "GBS1"
//	 4  kind    uint32   startFrame or blockFrame
//	 8  first   uint64   iteration of the first draw (0-based)
//	16  draws   uint32
//	20  params  uint32
//	24  state   uint32   bytes of kernel state
//	28  note    uint32   bytes of text (start frame: how the start was drawn)
//	32  elapsed uint64   nanoseconds that these draws took to compute
//
// The payload is values (params × draws float64, by parameter), infos (draws ×
// infoSize), state, note.
const (
	magic      = 0x31534247 // "GBS1"
	headerSize = 40
	crcSize    = 4
	infoSize   = 10 * 8

	startFrame = 1
	blockFrame = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errTorn = errors.New("spool: frame is torn or damaged")

// header is the decoded head of a frame.
type header struct {
	kind          uint32
	first         uint64
	draws, params uint32
	state, note   uint32
	elapsed       time.Duration
}

func (h header) valuesSize() int64 { return int64(h.draws) * int64(h.params) * 8 }

func (h header) payloadSize() int64 {
	return h.valuesSize() + int64(h.draws)*infoSize + int64(h.state) + int64(h.note)
}

func (h header) frameSize() int64 { return headerSize + h.payloadSize() + crcSize }

func (h header) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, magic)
	b = le.AppendUint32(b, h.kind)
	b = le.AppendUint64(b, h.first)
	b = le.AppendUint32(b, h.draws)
	b = le.AppendUint32(b, h.params)
	b = le.AppendUint32(b, h.state)
	b = le.AppendUint32(b, h.note)
	return le.AppendUint64(b, uint64(h.elapsed))
}

func decodeHeader(b []byte) (header, error) {
	le := binary.LittleEndian
	h := header{
		kind:    le.Uint32(b[4:]),
		first:   le.Uint64(b[8:]),
		draws:   le.Uint32(b[16:]),
		params:  le.Uint32(b[20:]),
		state:   le.Uint32(b[24:]),
		note:    le.Uint32(b[28:]),
		elapsed: time.Duration(le.Uint64(b[32:])),
	}
	if le.Uint32(b) != magic || (h.kind != startFrame && h.kind != blockFrame) {
		return header{}, errTorn
	}
	return h, nil
}

// encode appends one frame to b.
func encode(b []byte, h header, values []float64, infos []infer.Info, state []byte, note string) []byte {
	begin := len(b)
	b = h.append(b)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for i := range infos {
		b = appendInfo(b, &infos[i])
	}
	b = append(b, state...)
	b = append(b, note...)
	sum := crc32.Checksum(b[begin:], castagnoli)
	return binary.LittleEndian.AppendUint32(b, sum)
}

func appendInfo(b []byte, in *infer.Info) []byte {
	le := binary.LittleEndian
	for _, f := range []float64{in.LogLik, in.LogPrior, in.Accept, in.StepSize, in.Energy} {
		b = le.AppendUint64(b, math.Float64bits(f))
	}
	for _, n := range []int64{in.Evaluations, in.Touched, in.Gradients} {
		b = le.AppendUint64(b, uint64(n))
	}
	b = le.AppendUint32(b, uint32(in.Depth))
	b = le.AppendUint32(b, uint32(in.Leapfrogs))
	var divergent uint64
	if in.Divergent {
		divergent = 1
	}
	return le.AppendUint64(b, divergent)
}

func decodeInfo(b []byte) infer.Info {
	le := binary.LittleEndian
	f := func(i int) float64 { return math.Float64frombits(le.Uint64(b[8*i:])) }
	n := func(i int) int64 { return int64(le.Uint64(b[8*i:])) }
	return infer.Info{
		LogLik: f(0), LogPrior: f(1), Accept: f(2), StepSize: f(3), Energy: f(4),
		Evaluations: n(5), Touched: n(6), Gradients: n(7),
		Depth: int32(le.Uint32(b[64:])), Leapfrogs: int32(le.Uint32(b[68:])),
		Divergent: le.Uint64(b[72:]) != 0,
	}
}

func decodeFloats(dst []float64, b []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// checkShape rejects a header that cannot belong to this chain's file, before
// anything is allocated for it.
func (h header) checkShape(params int, next uint64, room int64) error {
	if int(h.params) != params || h.frameSize() > room {
		return errTorn
	}
	if h.kind == blockFrame && (h.first != next || h.draws == 0) {
		return fmt.Errorf("%w: block begins at iteration %d, want %d", errTorn, h.first, next)
	}
	return nil
}
