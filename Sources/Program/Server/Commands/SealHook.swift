import Glibc

/// A command of the operator's that carries the ends of the audit trails to a witness elsewhere.
///
/// Anyone who can change the database can change the files beside it. Only another machine can prove where a trail
/// ended.
struct SealHook {
    private static let secondsMax = 60

    /// A line for the shell, which gets one seal a line.
    let command: String

    /// Runs it to its end; returns what went wrong.
    func run(_ seals: [NotedSeal]) -> String? {
        setenv("HOMEROOM_SEAL_HOOK", command, 1)
        // Passwords of the database are in the environment. Results are for this command's output alone.
        let shell = """
            exec env -i PATH="$PATH" HOME="$HOME" timeout \(Self.secondsMax) /bin/sh -c "$HOMEROOM_SEAL_HOOK" >&2
            """
        guard let pipe = popen(shell, "w") else { return "The hook could not be started." }
        signal(SIGPIPE, SIG_IGN)
        for seal in seals { fputs("\(seal)\n", pipe) }
        let status = pclose(pipe)
        let code = (status >> 8) & 0xff
        switch (status, code) {
        case (0, _): return nil
        case (_, 124): return "The hook did not end within \(Self.secondsMax) seconds."
        default: return "The hook failed with status \(code)."
        }
    }
}
