/* Writes down, in their order, what a server does to the files under IOLOG_FOLDER, and every answer it sends.

   A power cut forgets what was written and not yet synced. From this record `powerloss.py` makes the disk as
   it may have been left at any moment. Each entry is one write to a file opened for appending, so that the
   entries of several processes and threads come in one order:

       struct entry, the path, the bytes

   A sync is entered when it begins and when it has ended: only what was written before it began is on the
   disk afterwards. An answer is entered before it is sent: whoever reads it later has it then or never. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct __attribute__((packed)) entry {
    char kind; /* w write, t truncate, b sync begins, s sync has ended, u unlink, a answer */
    uint32_t thread;
    uint64_t offset;
    uint32_t path_length, length;
};

static int record = -1;
static const char *folder;

__attribute__((constructor)) static void open_record(void) {
    const char *name = getenv("IOLOG_FILE");
    folder = getenv("IOLOG_FOLDER");
    if (name && folder)
        record = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void enter(char kind, const char *path, uint64_t offset, const void *bytes, size_t length) {
    struct entry head = {kind, (uint32_t)syscall(SYS_gettid), offset, strlen(path), length};
    struct iovec parts[3] = {
        {&head, sizeof head}, {(void *)path, head.path_length}, {(void *)bytes, bytes ? length : 0}};
    syscall(SYS_writev, record, parts, 3);
}

static int ours(const char *path) {
    return !strncmp(path, folder, strlen(folder)) && !strstr(path, "-shm") && !strstr(path, "-lock");
}

static int path_of(int fd, char *path) {
    char link[64];
    ssize_t length;
    if (record < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return ours(path);
}

#define REAL(name) \
    static __typeof__(name) *real; \
    char path[PATH_MAX]; \
    if (!real) real = dlsym(RTLD_NEXT, #name)

#define WRITER(name, offset_type) \
    ssize_t name(int fd, const void *bytes, size_t length, offset_type offset) { \
        REAL(name); \
        ssize_t done = real(fd, bytes, length, offset); \
        if (done > 0 && path_of(fd, path)) enter('w', path, offset, bytes, done); \
        return done; \
    }
WRITER(pwrite, off_t)
WRITER(pwrite64, off64_t)

#define TRUNCATER(name, offset_type) \
    int name(int fd, offset_type length) { \
        REAL(name); \
        int failed = real(fd, length); \
        if (!failed && path_of(fd, path)) enter('t', path, length, NULL, 0); \
        return failed; \
    }
TRUNCATER(ftruncate, off_t)
TRUNCATER(ftruncate64, off64_t)

#define SYNCER(name) \
    int name(int fd) { \
        REAL(name); \
        int known = path_of(fd, path); \
        if (known) enter('b', path, 0, NULL, 0); \
        int failed = real(fd); \
        if (known && !failed) enter('s', path, 0, NULL, 0); \
        return failed; \
    }
SYNCER(fsync)
SYNCER(fdatasync)

int unlink(const char *name) {
    REAL(unlink);
    int failed = real(name);
    (void)path;
    if (!failed && record >= 0 && ours(name)) enter('u', name, 0, NULL, 0);
    return failed;
}

ssize_t send(int fd, const void *bytes, size_t length, int flags) {
    REAL(send);
    (void)path;
    if (record >= 0) enter('a', "", 0, bytes, length);
    return real(fd, bytes, length, flags);
}
