// Package mapped gives memory for data that are larger than memory should be asked for: files of a folder that are
// mapped into the process. The system keeps their pages where there is room, and writes them to the file and drops them
// where there is not, so that they never cost another program its memory.
//
// A file has no name from the moment on at which it is made: it is gone with the process, however that ends. Its
// blocks are taken from the disk before a page of it is used, so that a full disk is an error, and not a signal in the
// middle of a sum. Where the system has no such calls, Supported is false.
//
// Read mapped.go (numbers, and what may become of them), then allocator.go (the chunks of a table); file_linux.go and
// file_other.go have the calls.
package mapped
