#pragma once
// What a process needs to shut itself in: Landlock and seccomp have no functions in glibc, and of Landlock the headers of
// Debian 12 know the first version only.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/time.h>

/// struct landlock_ruleset_attr as of version 6; older kernels are given its beginning.
struct clinux_landlock_ruleset {
    unsigned long long handled_access_fs;
    unsigned long long handled_access_net;
    unsigned long long scoped;
};

/// struct landlock_net_port_attr, version 4.
struct clinux_landlock_port {
    unsigned long long allowed_access;
    unsigned long long port;
};

/// What the running kernel's Landlock can do, or -1 where there is none.
static inline int clinux_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, (void *)0, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
}

static inline int clinux_landlock_create(const struct clinux_landlock_ruleset *ruleset, size_t size) {
    return (int)syscall(SYS_landlock_create_ruleset, ruleset, size, 0);
}

static inline int clinux_landlock_allow_path(int ruleset, int path, unsigned long long access) {
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = path};
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static inline int clinux_landlock_allow_port(int ruleset, unsigned long long port, unsigned long long access) {
    struct clinux_landlock_port rule = {.allowed_access = access, .port = port};
    return (int)syscall(SYS_landlock_add_rule, ruleset, 2 /* LANDLOCK_RULE_NET_PORT */, &rule, 0);
}

static inline int clinux_landlock_restrict(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

/// Installs `instructions` for every thread of the process (SECCOMP_FILTER_FLAG_TSYNC).
static inline int clinux_seccomp_install(struct sock_filter *instructions, unsigned short count) {
    struct sock_fprog program = {.len = count, .filter = instructions};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/// Whether the running kernel has system-call filters that end a process (seccomp(2), SECCOMP_GET_ACTION_AVAIL).
static inline int clinux_has_filters(void) {
    unsigned int action = SECCOMP_RET_KILL_PROCESS;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/// A path to name in a rule; opens nothing (O_PATH, which glibc shows under _GNU_SOURCE alone).
static inline int clinux_open_path(const char *path) {
    return open(path, 010000000 /* O_PATH */ | O_CLOEXEC);
}

/// close_range(2): closes all descriptors from `first` on.
static inline int clinux_close_from(unsigned int first) {
    return (int)syscall(SYS_close_range, first, ~0u, 0);
}

/// prctl(2), which is variadic.
static inline int clinux_prctl(int option, unsigned long value) {
    return prctl(option, value, 0ul, 0ul, 0ul);
}
