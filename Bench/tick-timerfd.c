// tick-timerfd: reads "INTERVAL_MICROSECONDS COUNT" from the connection, writes its process id, ticks by a timerfd, and
// at the end writes a line for each tick: when it came (microseconds since boot) and how late. It does nothing else at
// a tick, so it is the least that ticking can cost. The peer of tick lateness, and of the CPU of a tick.

#include "peer.h"
#include <sys/timerfd.h>
#include <unistd.h>

enum { ticks_max = 1000 };

static struct timespec timespec_of(int64_t microseconds) {
    return (struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000};
}

int main(void) {
    static int64_t came[ticks_max], late[ticks_max];
    char line[64] = "";
    checked(read(STDIN_FILENO, line, sizeof line - 1), "read");
    char *rest;
    int64_t interval = strtoll(line, &rest, 10);
    int count = atoi(rest);
    if (interval <= 0 || count <= 0 || count > ticks_max) return 64;
    dprintf(STDOUT_FILENO, "%d\n", getpid());

    int timer = (int)checked(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC), "timerfd_create");
    int64_t start = boot_microseconds();
    struct itimerspec when = {.it_value = timespec_of(start + interval), .it_interval = timespec_of(interval)};
    checked(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL), "timerfd_settime");
    int ticks = 0;
    for (int64_t number = 0; number < count; ticks++) {
        uint64_t expirations = 0;
        checked(read(timer, &expirations, sizeof expirations), "read");
        number += (int64_t)expirations;
        came[ticks] = boot_microseconds();
        late[ticks] = came[ticks] - (start + number * interval);
    }
    for (int i = 0; i < ticks; i++) dprintf(STDOUT_FILENO, "%lld %lld\n", (long long)came[i], (long long)late[i]);
}
