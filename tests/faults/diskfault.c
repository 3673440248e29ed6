/* Makes the disk fail under the files below DISKFAULT_FOLDER, when and as the file DISKFAULT_ORDER says:

       COUNT ERRNO CALLS

   COUNT is the number of calls until the first failure, after which one in every COUNT fails; 1 fails all.
   CALLS are letters: w write, s sync, r read, t truncate, o open for writing or making,
   and asking whether one might. Without the file
   nothing fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *folder, *order;
static volatile int calls;

__attribute__((constructor)) static void begin(void) {
    folder = getenv("DISKFAULT_FOLDER");
    order = getenv("DISKFAULT_ORDER");
}

static int ours(const char *path) { return !strncmp(path, folder, strlen(folder)); }

/* Whether this call fails; sets errno. */
static int fails(char kind, const char *path) {
    char text[64], letters[16] = "";
    int count = 0, number = 0;
    if (!folder || !order || !ours(path)) return 0;
    int fd = syscall(SYS_openat, AT_FDCWD, order, O_RDONLY);
    if (fd < 0) return 0;
    ssize_t length = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    if (length <= 0) return 0;
    text[length] = 0;
    if (sscanf(text, "%d %d %15s", &count, &number, letters) != 3 || !strchr(letters, kind)) return 0;
    if (__sync_add_and_fetch(&calls, 1) % count) return 0;
    errno = number;
    return 1;
}

static int fails_at(char kind, int fd) {
    char link[64], path[PATH_MAX];
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return fails(kind, path);
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = dlsym(RTLD_NEXT, #name)

#define MOVER(kind, name, bytes_type, offset_type) \
    ssize_t name(int fd, bytes_type bytes, size_t length, offset_type offset) { \
        REAL(name); \
        return fails_at(kind, fd) ? -1 : real(fd, bytes, length, offset); \
    }
MOVER('w', pwrite, const void *, off_t)
MOVER('w', pwrite64, const void *, off64_t)
MOVER('r', pread, void *, off_t)
MOVER('r', pread64, void *, off64_t)

#define SYNCER(name) \
    int name(int fd) { \
        REAL(name); \
        return fails_at('s', fd) ? -1 : real(fd); \
    }
SYNCER(fsync)
SYNCER(fdatasync)

#define TRUNCATER(name, offset_type) \
    int name(int fd, offset_type length) { \
        REAL(name); \
        return fails_at('t', fd) ? -1 : real(fd, length); \
    }
TRUNCATER(ftruncate, off_t)
TRUNCATER(ftruncate64, off64_t)

#define OPENER(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; \
        va_start(more, flags); \
        int mode = va_arg(more, int); \
        va_end(more); \
        if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && fails('o', path)) return -1; \
        return real(path, flags, mode); \
    }
OPENER(open)
OPENER(open64)

int faccessat(int at, const char *path, int mode, int flags) {
    REAL(faccessat);
    if ((mode & W_OK) && fails('o', path)) return -1;
    return real(at, path, mode, flags);
}
