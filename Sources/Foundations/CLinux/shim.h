// What `import Glibc` leaves out: epoll, eventfd, signalfd, accept4.
#ifndef HOMEROOM_CLINUX_H
#define HOMEROOM_CLINUX_H

#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// Declared by the headers only under _GNU_SOURCE, which would redefine structures of Glibc's own module.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int close_range(unsigned first, unsigned last, int flags);

// The union inside epoll_event imports badly; these keep it in C.
static inline int linux_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t tag) {
    struct epoll_event event = { .events = events, .data = { .u64 = tag } };
    return epoll_ctl(epoll, operation, fd, &event);
}
static inline uint64_t linux_epoll_tag(const struct epoll_event *event) { return event->data.u64; }
static inline uint32_t linux_epoll_events(const struct epoll_event *event) { return event->events; }

static inline int64_t linux_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
static inline int64_t linux_epoch_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// prctl is variadic, which Swift does not call.
// No other process of the account can look into this one from now on, and nothing is dumped.
static inline int linux_forbid_looking(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
// No program that it starts has more rights than it.
static inline int linux_forbid_rights(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// What a child process is to be. Both outputs go to one file; nothing else is inherited.
struct linux_child {
    const char *path;
    char *const *arguments;
    char *const *environment;
    const char *folder;
    int output;
    // Only root may change these; (uid_t)-1 leaves them.
    uid_t user;
    gid_t group;
    // Sent when the thread that started the child ends; 0 for none.
    int death_signal;
    // A file that stays open in the child and in what the child starts; -1 for none.
    int kept;
};

// Starts a child in a session of its own, so that Ctrl-C at the terminal does not reach it. Between fork and
// exec only what is async-signal-safe, hence no Swift. Status 126: not prepared, 127: not executed.
static inline pid_t linux_spawn(const struct linux_child *child) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) return pid;
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < 65; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(child->output, 1) < 0 || dup2(child->output, 2) < 0) _exit(126);
    if (child->kept >= 0 && (dup2(child->kept, 3) < 0 || fcntl(3, F_SETFD, 0) < 0)) _exit(126);
    close_range(child->kept >= 0 ? 4 : 3, ~0U, 0);
    umask(077);
    if (child->user != (uid_t)-1
        && (setgroups(0, NULL) != 0 || setgid(child->group) != 0 || setuid(child->user) != 0)) _exit(126);
    if (chdir(child->folder) != 0) _exit(126);
    // After the change of user, which clears it; the parent may be gone already.
    if (child->death_signal != 0
        && (prctl(PR_SET_PDEATHSIG, child->death_signal) != 0 || getppid() != parent)) _exit(126);
    execve(child->path, child->arguments, child->environment);
    _exit(127);
}

#endif
