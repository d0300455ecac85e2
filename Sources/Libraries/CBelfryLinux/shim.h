#pragma once
// What Swift's Glibc lacks or cannot call: variadic calls, and what glibc shows only under _GNU_SOURCE.
//
// That macro must not be defined here: Swift's own Glibc module is built without it, and with it structures such as
// fd_set would have two definitions, which the compiler refuses as soon as a file imports both.
//
// Swift's module comes first, so that it alone owns what both declare: otherwise a Swift file that uses pollfd compiles
// with or without this module, depending on which one the compiler read first.
#pragma clang module import SwiftGlibc
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/input.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "confinement.h"

// glibc's own functions, behind _GNU_SOURCE in its headers.
extern int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);
extern int pipe2(int ends[2], int flags) __attribute__((nothrow));
extern const char *strerrordesc_np(int error) __attribute__((nothrow));
extern pid_t gettid(void) __attribute__((nothrow));
extern void *memmem(const void *bytes, size_t count, const void *wanted, size_t wanted_count) __attribute__((nothrow));
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from)
    __attribute__((nothrow));
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path)
    __attribute__((nothrow));

/// How a child ended: what waitid(2) puts into the members of siginfo_t that are macros. `process` is 0 while it runs.
struct clinux_child_end {
    pid_t process;
    int is_exit;
    int status;
};

/// waitid(P_PIDFD) with `options`.
static inline int clinux_wait(int pidfd, int options, struct clinux_child_end *end) {
    siginfo_t information = {0};
    int result = waitid((idtype_t)3 /* P_PIDFD */, (id_t)pidfd, &information, options);
    end->process = information.si_pid;
    end->is_exit = information.si_code == CLD_EXITED;
    end->status = information.si_status;
    return result;
}

/// waitid(P_ALL) with `options`.
static inline int clinux_wait_any(int options, struct clinux_child_end *end) {
    siginfo_t information = {0};
    int result = waitid(P_ALL, 0, &information, options);
    end->process = information.si_pid;
    return result;
}

/// fork(2), which Swift does not show: for a program that has one thread.
static inline pid_t clinux_fork(void) { return fork(); }

/// memfd_create(2), close-on-exec and to be sealed (glibc shows its wrapper under _GNU_SOURCE alone).
static inline int clinux_memory_file(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1U /* MFD_CLOEXEC */ | 2U /* MFD_ALLOW_SEALING */);
}

/// ioprio_set(2) of this process: the class that uses the disk when no other does.
static inline void clinux_use_disk_last(void) {
    syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 3 << 13 /* IOPRIO_CLASS_IDLE */);
}

/// fcntl(F_ADD_SEALS): F_SEAL_SEAL, _SHRINK, _GROW and _WRITE.
static inline int clinux_seal_memory_file(int file) {
    return fcntl(file, 1033 /* F_ADD_SEALS */, 0xF);
}

/// Whether `file` is in memory, and sealed as above: whoever else has it can neither change nor shorten it.
static inline int clinux_is_sealed_memory_file(int file) {
    return fcntl(file, 1034 /* F_GET_SEALS */) == 0xF;
}

/// How many descriptors clinux_receive takes of one message; the kernel closes further ones.
enum { CLINUX_DESCRIPTORS_MAX = 4 };

/// sendmsg(2) with a descriptor beside the bytes (SCM_RIGHTS); -1 sends none.
static inline ssize_t clinux_send(int socket, const void *bytes, size_t count, int descriptor, int flags) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    return sendmsg(socket, &message, flags);
}

/// recvmsg(2) without waiting. Puts the descriptors that came beside the bytes into `descriptors`, which has room for
/// CLINUX_DESCRIPTORS_MAX, close-on-exec, and how many they are into `descriptor_count`.
static inline ssize_t clinux_receive(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(CLINUX_DESCRIPTORS_MAX * sizeof(int))];
    } control;
    struct iovec part = {bytes, count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room,
    };
    *descriptor_count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_DONTWAIT | 0x40000000 /* MSG_CMSG_CLOEXEC */);
    if (received < 0)
        return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        *descriptor_count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors, CMSG_DATA(header), *descriptor_count * sizeof(int));
    }
    return received;
}

// fcntl(2): F_NOTIFY and its events, F_SETOWN_EX.
enum {
    CLINUX_DN_MODIFY = 0x00000002,
    CLINUX_DN_CREATE = 0x00000004,
    CLINUX_DN_DELETE = 0x00000008,
    CLINUX_DN_RENAME = 0x00000010,
};

/// fcntl(F_SETOWN_EX): the descriptor's signals go to the calling thread and no other.
static inline int clinux_direct_signals_here(int descriptor) {
    struct {
        int type;
        pid_t pid;
    } owner = {0 /* F_OWNER_TID */, gettid()};
    return fcntl(descriptor, 15 /* F_SETOWN_EX */, &owner);
}

/// fcntl(F_NOTIFY) until further notice (DN_MULTISHOT), by SIGIO to the calling thread.
static inline int clinux_notify_directory(int directory, unsigned int events) {
    if (clinux_direct_signals_here(directory) == -1)
        return -1;
    return fcntl(directory, 1026 /* F_NOTIFY */, (unsigned long)(events | 0x80000000u /* DN_MULTISHOT */));
}

/// fcntl(F_NOTIFY) for the next change, by the real-time signal `number` to the calling thread, which names the descriptor
/// (F_SETSIG); by SIGIO where no more signals can be queued.
static inline int clinux_notify_directory_once(int directory, unsigned int events, int number) {
    if (clinux_direct_signals_here(directory) == -1 || fcntl(directory, 10 /* F_SETSIG */, number) == -1)
        return -1;
    return fcntl(directory, 1026 /* F_NOTIFY */, (unsigned long)events);
}

/// fcntl(F_NOTIFY) for nothing, which ends the descriptor's notices.
static inline int clinux_end_notices(int directory) {
    return fcntl(directory, 1026 /* F_NOTIFY */, 0ul);
}

/// The process at the other end of a connected unix socket, or that listens there, and its user (SO_PEERCRED).
static inline int clinux_peer(int socket, pid_t *process, uid_t *user) {
    struct {
        pid_t pid;
        uid_t uid;
        gid_t gid;
    } peer = {0, 0, 0};
    socklen_t size = sizeof peer;
    int result = getsockopt(socket, SOL_SOCKET, 17 /* SO_PEERCRED */, &peer, &size);
    *process = peer.pid;
    *user = peer.uid;
    return result;
}

/// Names the calling thread (prctl(2), PR_SET_NAME); 15 bytes at most are kept.
static inline int clinux_name_thread(const char *name) {
    return prctl(PR_SET_NAME, name);
}

/// Starts a detached thread that calls `body`, with a stack of so many bytes; an errno if it cannot. In C, since Swift
/// does not find the attributes' initializer in each set of modules.
static inline int clinux_start_thread(size_t stack_bytes, void *(*body)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    int result = pthread_create(&thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    return result;
}

/// sem_clockwait(3), declared for GNU sources alone: waits until `end` of CLOCK_MONOTONIC.
static inline int clinux_wait_until(sem_t *signal, const struct timespec *end) {
    extern int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
    return sem_clockwait(signal, CLOCK_MONOTONIC, end);
}

// prlimit(2) is declared for GNU sources alone.
static inline void clinux_forbid_core(pid_t pid) {
    struct { unsigned long long soft, hard; } none = {0, 0};
    syscall(SYS_prlimit64, pid, RLIMIT_CORE, &none, NULL);
}

// getopt(3) keeps its state in global variables, which Swift takes for data races.
static inline void clinux_getopt_begin(void) { optind = 0; opterr = 0; }
static inline int clinux_getopt_index(void) { return optind; }
static inline int clinux_getopt_option(void) { return optopt; }
static inline const char *clinux_getopt_argument(void) { return optarg; }

/// fcntl(F_SETPIPE_SZ): how many bytes a pipe holds, or -1.
static inline int clinux_set_pipe_size(int pipe, int bytes) {
    return fcntl(pipe, 1031 /* F_SETPIPE_SZ */, bytes);
}

/// ioctl(SIOCOUTQ): how many bytes of a socket its peer has not read, as the kernel counts them.
static inline int clinux_bytes_unread(int socket, int *bytes) {
    return ioctl(socket, 0x5411 /* SIOCOUTQ */, bytes);
}

/// ioctl(FIONREAD): how many bytes wait to be read.
static inline int clinux_bytes_waiting(int descriptor, int *bytes) {
    return ioctl(descriptor, FIONREAD, bytes);
}

// Force feedback of an input device (the kernel's Documentation/input/ff.rst): an effect is uploaded by an ioctl, and
// played and stopped by an event that is written.
enum {
    CLINUX_EFFECT_BYTES = sizeof(struct ff_effect),
    CLINUX_INPUT_EVENT_BYTES = sizeof(struct input_event),
    CLINUX_FF_RUMBLE = FF_RUMBLE,
};

/// The request EVIOCSFF, which uploads the effect that its argument describes, and writes the effect's number into it.
static inline unsigned long clinux_upload_effect_request(void) { return EVIOCSFF; }

/// Describes, in CLINUX_EFFECT_BYTES bytes, a rumble of so many milliseconds; `number` is that of an effect that it
/// replaces, or -1.
static inline void clinux_describe_rumble(void *bytes, int number, int milliseconds, int magnitude) {
    struct ff_effect effect;
    memset(&effect, 0, sizeof effect);
    effect.type = FF_RUMBLE;
    effect.id = (short)number;
    effect.replay.length = (unsigned short)milliseconds;
    effect.u.rumble.strong_magnitude = (unsigned short)magnitude;
    effect.u.rumble.weak_magnitude = (unsigned short)magnitude;
    memcpy(bytes, &effect, sizeof effect);
}

/// The number of an effect that was uploaded.
static inline int clinux_effect_number(const void *bytes) {
    struct ff_effect effect;
    memcpy(&effect, bytes, sizeof effect);
    return effect.id;
}

/// Describes, in CLINUX_INPUT_EVENT_BYTES bytes, the event that plays the effect `number` so often; 0 stops it.
static inline void clinux_describe_play(void *bytes, int number, int count) {
    struct input_event event;
    memset(&event, 0, sizeof event);
    event.type = EV_FF;
    event.code = (unsigned short)number;
    event.value = count;
    memcpy(bytes, &event, sizeof event);
}

/// ioctl(2) with a pointer.
static inline int clinux_control(int descriptor, unsigned long request, void *argument) {
    return ioctl(descriptor, request, argument);
}

/// The process's environment, `NAME=value` each, ended by null.
static inline char **clinux_environment(void) {
    extern char **environ;
    return environ;
}
