// Package discrete makes discrete systems of the data sets and models of a spec: tables, images and generated data
// become Data, and with a model a system.Field.
//
// Package system and the samplers of discrete/mrf and discrete/herded draw from it.
//
// Read data.go (variables and edges) with table.go, image.go, cells.go and made.go, then make.go (the model) with
// hash.go (its identity).
package discrete
