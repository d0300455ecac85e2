// ringing: what a ringing process does, in C. Reads "INTERVAL_MICROSECONDS COUNT FILE ID FOLDER" from the connection,
// writes its process id, and then waits in one epoll for its timer and for F_NOTIFY on the file's directory. At a tick
// it writes the event, looks whether the file or the folder of the notes has changed, and arms the timer for the next
// one. When it is woken it reads the file; once that says that call ID does not ring, it disarms the timer, ends the
// notices, and writes when it was silent, in microseconds since boot. After COUNT ticks it leaves. The peer, for the
// same work, of the lateness and the CPU of a tick, and of the time from a hangup in the group file to silence.

#define _GNU_SOURCE
#include "group-file.h"
#include <libgen.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

static int directory, folder, timer, signals;
static char name[256], id[128], text[group_file_bytes_max];

static void arm(int64_t microseconds) {
    struct itimerspec when = {.it_value = {microseconds / 1000000, microseconds % 1000000 * 1000}};
    checked(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL), "timerfd_settime");
}

static void tick(int64_t start, int64_t number, int64_t interval) {
    uint64_t expirations;
    checked(read(timer, &expirations, sizeof expirations), "read");
    int64_t now = boot_microseconds();
    char line[512];
    int length = snprintf(line, sizeof line,
        "{\"event\":\"tick\",\"at\":%.6f,\"boot\":%.6f,\"id\":\"00000000-0000-0000-0000-000000000000\",\"n\":%lld,"
        "\"late\":%.6f}\n",
        (now - start) / 1e6, now / 1e6, (long long)number, (now - start - number * interval) / 1e6);
    checked(send(STDOUT_FILENO, line, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL), "send");
    static struct stat file_before, folder_before;
    struct stat file_now, folder_now;
    checked(fstat(folder, &folder_now), "fstat");
    checked(fstatat(directory, name, &file_now, AT_SYMLINK_NOFOLLOW), "fstatat");
    if (file_now.st_ino != file_before.st_ino) file_before = file_now;
    if (folder_now.st_mtim.tv_nsec != folder_before.st_mtim.tv_nsec) folder_before = folder_now;
    arm(start + (number + 1) * interval);
}

// Whether the file says that the call rings: the key that all rings share is there, and so is the call.
static bool rings(void) {
    struct signalfd_siginfo woken;
    checked(read(signals, &woken, sizeof woken), "read");
    int file = (int)checked(openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), name);
    struct stat status;
    checked(fstat(file, &status), "fstat");
    ssize_t length = checked(read(file, text, sizeof text - 1), "read");
    text[length] = 0;
    close(file);
    char *state = state_of_call(text, id);
    return strstr(text, "<key>keyStartCallTime</key>") && state && begins_with(state, "ringing<");
}

int main(void) {
    char line[1024] = "", path[512], folder_path[256];
    long long interval, count;
    checked(read(STDIN_FILENO, line, sizeof line - 1), "read");
    if (sscanf(line, "%lld %lld %511s %127s %255s", &interval, &count, path, id, folder_path) != 5) return 64;
    char *parent = strdup(path);
    snprintf(name, sizeof name, "%s", basename(path));
    directory = (int)checked(open(dirname(parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC), parent);
    folder = (int)checked(open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder_path);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGIO);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = (int)checked(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
    unsigned events = DN_MODIFY | DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT;
    checked(fcntl(directory, F_NOTIFY, events), "F_NOTIFY");
    timer = (int)checked(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
    int loop = (int)checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    struct epoll_event for_timer = {EPOLLIN, {.fd = timer}}, for_signals = {EPOLLIN, {.fd = signals}};
    checked(epoll_ctl(loop, EPOLL_CTL_ADD, timer, &for_timer), "epoll_ctl");
    checked(epoll_ctl(loop, EPOLL_CTL_ADD, signals, &for_signals), "epoll_ctl");
    int64_t start = boot_microseconds(), number = 1;
    arm(start + interval);
    dprintf(STDOUT_FILENO, "%d\n", getpid());
    while (number <= count) {
        struct epoll_event ready;
        checked(epoll_wait(loop, &ready, 1, -1), "epoll_wait");
        if (ready.data.fd == timer) {
            tick(start, number++, interval);
        } else if (!rings()) {
            arm(0);
            close(directory);
            dprintf(STDOUT_FILENO, "%lld\n", (long long)boot_microseconds());
            break;
        }
    }
}
