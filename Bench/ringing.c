// ringing: what a ringing process does, in C. Reads "INTERVAL_MICROSECONDS COUNT FILE ID FOLDER" from the connection,
// writes its process id, and then waits in one sd-event loop for its timer and for F_NOTIFY on the file's directory.
// At a tick it writes the event, looks whether the file or the folder of the notes has changed, and arms the timer for
// the next one. When it is woken it reads the file; once that says that call ID does not ring, it disarms the timer,
// ends the notices, and writes when it was silent, in microseconds since boot. After COUNT ticks it leaves. The peer,
// for the same work by the same library, of the lateness and the CPU of a tick, and of the time from a hangup to
// silence.

#define _GNU_SOURCE
#include "group-file.h"
#include <libgen.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>

static int directory, folder;
static char name[256], id[128], text[group_file_bytes_max];
static int64_t start, number = 1;
static long long interval, count;

static int tick(sd_event_source *timer, uint64_t due, void *loop) {
    (void)due;
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
    if (++number > count) return sd_event_exit(loop, 0);
    return sd_event_source_set_time(timer, (uint64_t)(start + number * interval));
}

// Whether the file says that the call rings: the key that all rings share is there, and so is the call.
static bool rings(void) {
    int file = (int)checked(openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), name);
    struct stat status;
    checked(fstat(file, &status), "fstat");
    ssize_t length = checked(read(file, text, sizeof text - 1), "read");
    text[length] = 0;
    close(file);
    char *state = state_of_call(text, id);
    return strstr(text, "<key>keyStartCallTime</key>") && state && begins_with(state, "ringing<");
}

static int changed(sd_event_source *source, const struct signalfd_siginfo *signal, void *timer) {
    (void)signal;
    if (rings()) return 0;
    checked(sd_event_source_set_enabled(timer, SD_EVENT_OFF), "sd_event_source_set_enabled");
    close(directory);
    dprintf(STDOUT_FILENO, "%lld\n", (long long)boot_microseconds());
    return sd_event_exit(sd_event_source_get_event(source), 0);
}

int main(void) {
    char line[1024] = "", path[512], folder_path[256];
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
    sd_event *loop;
    sd_event_source *timer;
    checked(sd_event_new(&loop), "sd_event_new");
    start = boot_microseconds();
    uint64_t due = (uint64_t)(start + interval);
    checked(sd_event_add_time(loop, &timer, CLOCK_BOOTTIME, due, 1, tick, loop), "sd_event_add_time");
    checked(sd_event_source_set_enabled(timer, SD_EVENT_ON), "sd_event_source_set_enabled");
    checked(sd_event_add_signal(loop, NULL, SIGIO, changed, timer), "sd_event_add_signal");
    unsigned events = DN_MODIFY | DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT;
    checked(fcntl(directory, F_NOTIFY, events), "F_NOTIFY");
    dprintf(STDOUT_FILENO, "%d\n", getpid());
    return (int)checked(sd_event_loop(loop), "sd_event_loop");
}
