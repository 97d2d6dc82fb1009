/* Two clocks that the drill `year` moves, for every program that loads this: what time it is, and how long machines
 * have run. CLOCK is a file with how far each is ahead of the machine's, in nanoseconds.
 *
 * Debian's libfaketime moves both by the same amount, reads its file at each look or every ten seconds, and is told so
 * by variables, which a private PostgreSQL does not inherit. Here a clock jumps while machines run on, and all programs
 * see it at once: the file is mapped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct offsets {
    int64_t wall;
    int64_t running;
};

static const struct offsets none;
static const volatile struct offsets *offsets = &none;

__attribute__((constructor)) static void map_offsets(void) {
    int error = errno;
    int file = open(CLOCK, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        void *mapped = mmap(NULL, sizeof(struct offsets), PROT_READ, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) offsets = mapped;
        close(file);
    }
    errno = error;
}

/* How far a clock is ahead; 0 for those of processes and threads. */
static int64_t ahead(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return offsets->wall;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return offsets->running;
    default: return 0;
    }
}

static struct timespec moved(struct timespec time, int64_t by) {
    int64_t nanoseconds = time.tv_nsec + by % 1000000000;
    time.tv_sec += by / 1000000000;
    if (nanoseconds < 0) nanoseconds += 1000000000, time.tv_sec--;
    if (nanoseconds >= 1000000000) nanoseconds -= 1000000000, time.tv_sec++;
    time.tv_nsec = nanoseconds;
    return time;
}

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name); real; })

int clock_gettime(clockid_t clock, struct timespec *time) {
    int status = REAL(clock_gettime)(clock, time);
    if (status == 0) *time = moved(*time, ahead(clock));
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return status;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

/* Who waits until a moment waits until the machine's clock is as far. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
    struct timespec until = flags & TIMER_ABSTIME ? moved(*time, -ahead(clock)) : *time;
    return REAL(clock_nanosleep)(clock, flags, &until, rest);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    struct timespec until = moved(*time, -ahead(CLOCK_REALTIME));
    return REAL(sem_timedwait)(semaphore, &until);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict time) {
    struct timespec until = moved(*time, -ahead(clock));
    return REAL(sem_clockwait)(semaphore, clock, &until);
}

int pthread_cond_clockwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
    const struct timespec *restrict time) {
    struct timespec until = moved(*time, -ahead(clock));
    return REAL(pthread_cond_clockwait)(condition, mutex, clock, &until);
}
