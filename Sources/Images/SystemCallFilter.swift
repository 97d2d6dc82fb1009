import CSeccomp

/// What a process may still ask of the kernel once it decodes: memory without code in it, its two open files,
/// the clock, and its end. Every other call fails with EPERM, for good.
///
/// So no other process can be looked into, started or signalled, and nothing opened or connected to, whatever
/// the account may do.
enum SystemCallFilter {
    private static let free = [
        "brk", "clock_gettime", "clock_getres", "exit", "exit_group", "futex", "getrandom",
        "gettimeofday", "madvise", "munmap", "restart_syscall", "rt_sigprocmask", "rt_sigreturn",
        "sched_yield", "time",
    ]
    /// By which argument each says what the memory is for.
    private static let ofMemory = ["mmap": UInt32(2), "mprotect": 2, "mremap": 3]

    /// Puts the filter on the calling thread, which has to be the only one; false where the kernel has none.
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
        // Not every machine has every call.
        guard number >= 0 else { return true }
        let conditions = condition.map { [$0] } ?? []
        return seccomp_rule_add_array(
            filter, SCMP_ACT_ALLOW, number, UInt32(conditions.count), conditions) == 0
    }
}
