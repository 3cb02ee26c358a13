// Package netcdf writes netCDF-4 files: groups of variables over named dimensions that have coordinates.
//
// A netCDF-4 file is an HDF5 file that follows some conventions. This package writes the few structures of HDF5 that
// those files need, in their newest and plainest form: superblock 2, object headers 2 with compact links, contiguous
// data, a global heap for strings and references. There are no chunks, no compression and no unlimited
// dimensions, so that every value has its place before the first one is known, and values may come in any order.
//
// Format: HDF5 File Format Specification 3.0; NetCDF-4 File Format; HDF5 Dimension Scale Specification.
//
// Read netcdf.go, then hdf5.go.
package netcdf
