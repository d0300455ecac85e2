// Stands in for a motor that this machine lacks: preloaded (LD_PRELOAD), it gives a program one input device that
// vibrates, event3, and writes what is asked of it, with the microsecond of CLOCK_BOOTTIME, to the file that
// MOTOR_LOG names. It is no hardware: that a motor moves, and that the kernel stops it, it does not show.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int motor = -1;

static int open_really(const char *path, int flags, int mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    const char *path = getenv("MOTOR_LOG");
    int log = path ? open_really(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (log < 0)
        return;
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    char line[128];
    int count = snprintf(line, sizeof line, "%lld ", now.tv_sec * 1000000LL + now.tv_nsec / 1000);
    va_list arguments;
    va_start(arguments, format);
    count += vsnprintf(line + count, sizeof line - count, format, arguments);
    va_end(arguments);
    line[count++] = '\n';
    syscall(SYS_write, log, line, count);
    syscall(SYS_close, log);
}

// The folder of a device whose capabilities are those of a gamepad.
static const char *folder(void) { return getenv("MOTOR_FOLDER"); }

DIR *opendir(const char *path) {
    static DIR *(*next)(const char *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "opendir");
    return next(folder() && !strcmp(path, "/sys/class/input") ? folder() : path);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, int) : 0;
    va_end(arguments);
    char instead[4096];
    if (folder() && !strncmp(path, "/sys/class/input/", 17)) {
        snprintf(instead, sizeof instead, "%s/%s", folder(), path + 17);
        path = instead;
    } else if (folder() && !strcmp(path, "/dev/input/event3")) {
        const char *denied = getenv("MOTOR_DENIED");
        if (denied) {
            errno = EACCES;
            return -1;
        }
        motor = open_really("/dev/null", flags, 0);
        note("open");
        return motor;
    }
    return open_really(path, flags, mode);
}

int open64(const char *, int, ...) __attribute__((alias("open")));

int ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (descriptor != motor || motor < 0)
        return (int)syscall(SYS_ioctl, descriptor, request, argument);
    if (request != EVIOCSFF) {
        errno = EINVAL;
        return -1;
    }
    struct ff_effect *effect = argument;
    note("upload %d for %d ms", effect->id, effect->replay.length);
    effect->id = 5;
    return 0;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (descriptor != motor || motor < 0)
        return syscall(SYS_write, descriptor, bytes, count);
    const struct input_event *event = bytes;
    note(event->type == EV_FF && event->code == 5 ? "play %d" : "no event %d", event->value);
    return (ssize_t)count;
}

int close(int descriptor) {
    if (descriptor == motor && motor >= 0) {
        motor = -1;
        note("close");
    }
    return (int)syscall(SYS_close, descriptor);
}
