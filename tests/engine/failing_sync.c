/* Syncing a write-ahead log fails with EIO while the file named by FAIL_SYNC_WHILE exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int fd) {
    const char *trigger = getenv("FAIL_SYNC_WHILE");
    char link[64], path[4096];
    if (trigger == NULL || access(trigger, F_OK) != 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    return length > 4 && strncmp(path + length - 4, "-wal", 4) == 0;
}

static int sync_or_fail(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (fails(fd)) {
        errno = EIO;
        return -1;
    }
    return real(fd);
}

int fsync(int fd) { return sync_or_fail("fsync", fd); }

int fdatasync(int fd) { return sync_or_fail("fdatasync", fd); }
