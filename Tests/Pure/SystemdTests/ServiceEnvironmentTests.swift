import CLinux
import Glibc
import Systemd
import Testing

@Suite struct ServiceEnvironments {
    @Test func `sockets have the names that their units give them`() {
        let environment = ServiceEnvironment(
            ["LISTEN_PID": "77", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "http:metrics"],
            process: 77)
        #expect(environment.sockets.map(\.name) == ["http", "metrics", "unknown"])
        #expect(environment.sockets.map(\.descriptor) == [3, 4, 5])
    }

    @Test(arguments: [
        ["LISTEN_PID": "78", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"],
        ["LISTEN_PID": "77", "LISTEN_FDS": "-1"], ["LISTEN_PID": "77", "LISTEN_FDS": "x"],
        ["LISTEN_PID": "77", "LISTEN_FDS": "70000"], ["LISTEN_PID": "77"],
        ["WATCHDOG_PID": "78", "WATCHDOG_USEC": "1000"], ["WATCHDOG_USEC": "0"],
    ])
    func `sockets meant for another process, or with a malformed number, are ignored`(
        variables: [String: String]
    ) {
        let environment = ServiceEnvironment(variables, process: 77)
        #expect(environment.sockets.isEmpty)
        #expect(environment.watchdogMicroseconds == nil)
    }

    @Test func `only a listening stream socket is accepted`() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        let passed = ServiceEnvironment.PassedSocket(name: "http", descriptor: socket)
        #expect(throws: ServiceEnvironment.PassedSocket.Unfit.self) { try passed.listening() }
        #expect(listen(socket, 1) == 0)
        #expect(try passed.listening() == socket)
        #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
        let file = ServiceEnvironment.PassedSocket(name: "http", descriptor: STDERR_FILENO)
        #expect(throws: ServiceEnvironment.PassedSocket.Unfit.self) { try file.listening() }
    }
}
