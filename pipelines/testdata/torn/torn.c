// A process that has this preloaded is killed in the middle of the write of block number TORN, counted from 0: half of
// it is in the file. That is what SIGKILL does to a write, if it comes at the right moment.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { block = 1 << 18 };

static int writes;

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) {
	ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
	const char *torn = getenv("TORN");
	if (size == block && torn && __sync_fetch_and_add(&writes, 1) == atoi(torn)) {
		real(fd, bytes, size / 2, at);
		kill(getpid(), SIGKILL);
	}
	return real(fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return pwrite64(fd, bytes, size, at); }
