import CAttempts
import Glibc
import Images

/// Tries what a taken-over decoder would: `sandbox-under-test inside|outside`.
///
/// It starts a child to attack, gives up its rights as the reader of pictures does (inside) or becomes the same account
/// without that (outside), says `ready`, waits for a line, and prints for each attempt its name and the error number, 0
/// if it succeeded. The child ends with it.
@main struct SandboxUnderTest {
    static func main() {
        let isInside = CommandLine.arguments.dropFirst().first == "inside"
        let victim = attempt_victim()
        guard victim > 0 else { exit(1) }
        if isInside {
            guard ImageReader.giveUpRights() else { exit(2) }
        } else {
            guard geteuid() != 0 || (setgid(65_534) == 0 && setuid(65_534) == 0) else { exit(3) }
        }
        say("ready\n")
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) == 1, byte != 10 {}
        for (name, attempt) in attempts {
            errno = 0
            let failed = attempt(victim) < 0
            say("\(name) \(failed ? errno : 0)\n")
        }
        exit(0)
    }

    private static let attempts: [(String, @Sendable (pid_t) -> Int)] = [
        ("process_vm_readv", { attempt_read($0) }),
        ("ptrace", { attempt_ptrace($0) }),
        ("kill", { Int(kill($0, 0)) }),
        ("socket", { _ in Int(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)) }),
        ("open", { _ in Int(open("/etc/hostname", O_RDONLY)) }),
        ("code", { _ in attempt_code() }),
        ("fork", { _ in attempt_fork() }),
    ]

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
