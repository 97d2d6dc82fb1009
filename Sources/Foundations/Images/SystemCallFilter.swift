import CSeccomp

/// The system calls that a process may still make once it decodes: for non-executable memory, its two open
/// files, the clock, and exiting. Every other call fails with EPERM, permanently.
///
/// So it cannot inspect, start or signal other processes, nor open or connect to anything, whatever the account may do.
enum SystemCallFilter {
    private static let free = [
        "brk", "clock_gettime", "clock_getres", "exit", "exit_group", "futex", "getrandom",
        "gettimeofday", "madvise", "munmap", "restart_syscall", "rt_sigprocmask", "rt_sigreturn",
        "sched_yield", "time",
    ]
    /// The index of the argument to check in each call: the memory protection, or the flags of mremap.
    private static let ofMemory = ["mmap": UInt32(2), "mprotect": 2, "mremap": 3]

    /// Installs the filter on the calling thread, which must be the only one; returns false if the kernel does
    /// not support it.
    static func begin() -> Bool {
        guard let filter = seccomp_init(seccomp_act_refuse()) else { return false }
        defer { seccomp_release(filter) }
        for name in free {
            guard allow(name, filter) else { return false }
        }
        for (name, argument) in ofMemory {
            let isNoCode = scmp_arg_cmp(
                arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(PROT_EXEC), datum_b: 0)
            guard allow(name, filter, where: isNoCode) else { return false }
        }
        for (name, file) in [("read", 0), ("write", 1), ("write", 2)] {
            let isOpen = scmp_arg_cmp(
                arg: 0, op: SCMP_CMP_EQ, datum_a: UInt64(file), datum_b: 0)
            guard allow(name, filter, where: isOpen) else { return false }
        }
        return seccomp_load(filter) == 0
    }

    private static func allow(
        _ name: String, _ filter: scmp_filter_ctx, where condition: scmp_arg_cmp? = nil
    ) -> Bool {
        let number = seccomp_syscall_resolve_name(name)
        // Not every architecture has every call.
        guard number >= 0 else { return true }
        let conditions = condition.map { [$0] } ?? []
        return seccomp_rule_add_array(
            filter, SCMP_ACT_ALLOW, number, UInt32(conditions.count), conditions) == 0
    }
}
