import CLinux
import Glibc

/// What a service manager passes to a service in its environment: sd_notify(3), sd_listen_fds(3),
/// sd_watchdog_enabled(3).
package struct ServiceEnvironment: Sendable {
    /// The socket for reporting the service's state; `nil` if no report was asked for.
    package let notify: NotifySocket?
    /// After how many microseconds of silence the service is killed; `nil` if there is no watchdog.
    package let watchdogMicroseconds: Int?
    /// The sockets opened for the service, in order.
    package let sockets: [PassedSocket]

    /// A descriptor passed to the process, and its name.
    package struct PassedSocket: Sendable, Equatable {
        package let name: String
        package let descriptor: Int32

        package init(name: String, descriptor: Int32) {
            self.name = name
            self.descriptor = descriptor
        }
    }

    /// The first passed descriptor, after the three that every process has.
    private static let firstDescriptor: Int32 = 3
    private static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
        "LISTEN_FDNAMES",
    ]

    /// Reads the variables meant for the process with that number; those for another process are ignored.
    package init(_ variables: [String: String], process: Int32 = getpid()) {
        notify = variables["NOTIFY_SOCKET"].flatMap { NotifySocket(path: $0) }
        let isWatched = variables["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        watchdogMicroseconds =
            isWatched ? variables["WATCHDOG_USEC"].flatMap { Int($0) }.filter { $0 > 0 } : nil
        guard variables["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let count = variables["LISTEN_FDS"].flatMap({ Int32($0) }), (1...64).contains(count)
        else {
            sockets = []
            return
        }
        let names = (variables["LISTEN_FDNAMES"] ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        sockets = (0..<count).map { index in
            let name = Int(index) < names.count ? String(names[Int(index)]) : "unknown"
            return PassedSocket(name: name, descriptor: Self.firstDescriptor + index)
        }
    }

    /// Removes it from this process's environment, so that no child takes it as its own. Must be called before
    /// there are threads.
    package static func take() -> ServiceEnvironment {
        var found: [String: String] = [:]
        for name in variables {
            if let value = getenv(name) { found[name] = String(cString: value) }
            unsetenv(name)
        }
        return ServiceEnvironment(found)
    }
}

extension Optional {
    /// The value, if it is there and satisfies the condition.
    fileprivate func filter(_ fits: (Wrapped) -> Bool) -> Wrapped? {
        flatMap { fits($0) ? $0 : nil }
    }
}

extension ServiceEnvironment.PassedSocket {
    /// Why a passed descriptor is not usable for listening.
    package struct Unfit: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The descriptor, made non-blocking and not inherited by children.
    ///
    /// Throws `Unfit` if it is not a listening stream socket: the service manager is configured differently.
    package func listening() throws(Unfit) -> Int32 {
        guard option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1 else {
            throw Unfit(description: "the socket \(name) that was passed does not listen")
        }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw Unfit(description: "the socket \(name) that was passed cannot be used") }
        return descriptor
    }

    private func option(_ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
