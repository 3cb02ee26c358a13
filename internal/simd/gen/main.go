package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	dir := flag.String("dir", "..", "folder of package simd")
	flag.Parse()
	all := append(kernels(), dots4(), logNormalCDF(), midpoints(), product(), tiled(), spread(), logCauchyCDF())
	all = append(append(all, quantileParts()...), butterflies(), halvings(), power())
	all = append(append(all, sparse()...), points()...)
	c := build.NewContext()
	p := &pool{}
	for _, k := range all {
		k.emit(&form{c, false, p})
		k.emit(&form{c, true, p})
	}
	c.StaticGlobal("constants")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, words := range p.values {
		for j, bits := range words {
			c.AddDatum(32*i+8*j, operand.U64(bits))
		}
	}
	c.StaticGlobal("masks")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		word := uint64(0)
		if i < 8 {
			word = 1<<64 - 1
		}
		c.AddDatum(8*i, operand.U64(word))
	}
	c.StaticGlobal("orders")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, word := range orders() {
		c.AddDatum(8*i, operand.U64(word))
	}
	f, err := c.Result()
	if err == nil {
		err = pass.Compile.Execute(f)
	}
	if err != nil {
		log.Fatal(err)
	}
	outputs := map[string][]byte{"dispatch_amd64.go": dispatch(all, f, true), "dispatch_other.go": dispatch(all, f, false)}
	for _, k := range all {
		if k.both() {
			k.join(f)
		}
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "gen", Pkg: "simd"}).Print(f)
	if err != nil {
		log.Fatal(err)
	}
	text = dropSelfMoves(text)
	if bad := evexOnly.Find(text); bad != nil {
		log.Fatalf("%s: AVX2 has no such register: a kernel has too many values alive", bad)
	}
	outputs["kernels_amd64.s"] = text
	outputs["kernels.sum"] = sums256(outputs)
	for name, text := range outputs {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// sums256 returns the SHA-256 of the files written and of the files here, so that a test can check without this
// program whether they belong together.
func sums256(outputs map[string][]byte) []byte {
	texts := map[string][]byte{}
	for name, text := range outputs {
		texts[name] = text
	}
	for _, pattern := range []string{"*.go", "go.*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range names {
			if texts["gen/"+name], err = os.ReadFile(name); err != nil {
				log.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(texts[name]), name)
	}
	return b.Bytes()
}

var (
	move     = regexp.MustCompile(`(?m)^\tVMOVAPD +([YZ]\d+), ([YZ]\d+)\n`)
	evexOnly = regexp.MustCompile(`\bY(1[6-9]|2\d|3[01])\b`)
)

// dropSelfMoves drops what the allocator leaves of a copy whose original is not
// used again.
func dropSelfMoves(text []byte) []byte {
	return move.ReplaceAllFunc(text, func(line []byte) []byte {
		if m := move.FindSubmatch(line); !bytes.Equal(m[1], m[2]) {
			return line
		}
		return nil
	})
}
