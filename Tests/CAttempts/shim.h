// What a process tries that wants to look into others; Swift sees none of these calls. Each gives -1 and errno.
#ifndef HOMEROOM_CATTEMPTS_H
#define HOMEROOM_CATTEMPTS_H

#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static char attempt_secret[] = "secret";

// A child of the same account that can be looked into, and lives as long as its parent.
static inline pid_t attempt_victim(void) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
        prctl(PR_SET_DUMPABLE, 1);
        // After the change of user, which clears it.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (write(ends[1], "", 1) != 1) _exit(1);
        // Somebody waits for the end of each pipe that was inherited.
        syscall(SYS_close_range, 0, ~0U, 0);
        for (;;) pause();
    }
    char ready;
    if (read(ends[0], &ready, 1) != 1) return -1;
    return pid;
}

static inline long attempt_read(pid_t victim) {
    char found[sizeof attempt_secret];
    struct { void *base; size_t length; } here = { found, sizeof found },
        there = { attempt_secret, sizeof attempt_secret };
    // As longs: the kernel reads all 64 bits of each, and those of an int above its own are anything.
    return syscall(SYS_process_vm_readv, (long)victim, &here, 1L, &there, 1L, 0L);
}

static inline long attempt_ptrace(pid_t victim) {
    // PTRACE_SEIZE, which does not stop it.
    return syscall(SYS_ptrace, 0x4206L, (long)victim, 0L, 0L);
}

static inline long attempt_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
        ? -1 : 0;
}

static inline long attempt_fork(void) {
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    return pid;
}

#endif
