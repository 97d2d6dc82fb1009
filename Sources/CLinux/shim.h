// What `import Glibc` leaves out: epoll, eventfd, signalfd, accept4.
#ifndef HOMEROOM_CLINUX_H
#define HOMEROOM_CLINUX_H

#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

// Declared by the headers only under _GNU_SOURCE, which would redefine structures of Glibc's own module.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

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

#endif
