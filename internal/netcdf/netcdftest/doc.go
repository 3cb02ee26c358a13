// Package netcdftest reads what package netcdf writes, for tests: from the bytes of a file alone, and no other form of
// HDF5.
//
// Read netcdftest.go.
package netcdftest
