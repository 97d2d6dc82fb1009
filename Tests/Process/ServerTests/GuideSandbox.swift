import Foundation
import Glibc
import HTTPServer
import TestKit
import Testing

@testable import ServerKit

/// A machine as the guides see it, in a folder: the operator is root and stands in a folder that only root can read, the
/// service runs under its account, and both find the settings in a file.
///
/// Commands, databases, backups and calls are real. `systemctl` is a stand-in that knows the units of the repository and
/// starts and stops the service for real; what needs the journal or other machines is a stand-in that looks at units
/// alone. If the tests are not root, the operator and the account are one.
final class GuideSandbox {
    let box = NSTemporaryDirectory() + "guides-\(UUID().uuidString.prefix(8))"
    /// The account of the service.
    private let account = geteuid() == 0 ? "nobody" : nil
    private let ports: (serving: UInt16, metrics: UInt16)

    /// What the paths, addresses and groups of the guides are here.
    private var replacements: [(String, String)] {
        [
            ("/var/lib/homeroom", "\(box)/lib"), ("/var/backups/homeroom", "\(box)/backups"),
            ("/etc/homeroom/environment", "$environment"), ("/etc/homeroom", "\(box)/etc"),
            ("/root/", "\(box)/root/"), ("http://127.0.0.1:8080", "$URL"),
            ("http://127.0.0.1:9180", "http://127.0.0.1:\(ports.metrics)"),
            (":8080", ":\(ports.serving)"),
        ]
    }

    init() async throws {
        ports = (try Self.freePort(), try Self.freePort())
        let files = FileManager.default
        for name in ["bin", "etc", "root", "backups"] {
            try files.createDirectory(
                atPath: "\(box)/\(name)", withIntermediateDirectories: true)
        }
        chmod("\(box)/root", 0o700)
        _ = try await PreparedSchool.copy(to: "\(box)/lib")
        try files.createDirectory(atPath: "\(box)/lib/exports", withIntermediateDirectories: true)
        if let account, let entry = getpwnam(account) {
            for name in ["backups", "lib/exports"] {
                chown("\(box)/\(name)", entry.pointee.pw_uid, entry.pointee.pw_gid)
            }
        }
        let settings = [
            "# As on a machine of its own.", "HOMEROOM_DATA=\(box)/lib",
            "HOMEROOM_SQL=\"\(TestDatabase.sqlFolder)\"", "HOMEROOM_PASSWORD_COST=ln=4,r=8,p=1",
            "HOMEROOM_LISTEN=127.0.0.1:\(ports.serving)",
            "HOMEROOM_METRICS_LISTEN=127.0.0.1:\(ports.metrics)",
            "HOMEROOM_ACCOUNT=\(account ?? "nobody")",
        ]
        try (settings.joined(separator: "\n") + "\n").write(
            toFile: "\(box)/etc/environment", atomically: true, encoding: .utf8)
        chmod("\(box)/etc/environment", 0o644)
        for (name, text) in standIns {
            try "#!/bin/bash\n\(text)\n".write(
                toFile: "\(box)/bin/\(name)", atomically: true, encoding: .utf8)
            chmod("\(box)/bin/\(name)", 0o755)
        }
    }

    /// Stops what still runs, and removes everything.
    func discard() async {
        _ = try? await run("systemctl stop homeroom.service")
        try? FileManager.default.removeItem(atPath: box)
    }

    /// A text of the guides with the paths and addresses of this machine.
    func here(_ text: String) -> String {
        replacements.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// Runs a script as the operator; it ends at the first line that fails. `grep` that finds nothing is no failure.
    func run(_ script: String) async throws -> Homeroom.Run {
        let head = """
            set -eu -o pipefail
            environment=\(box)/etc/environment URL=http://127.0.0.1:\(ports.serving)
            grep() { command grep "$@" || [ $? -eq 1 ]; }

            """
        try (head + script).write(toFile: "\(box)/script", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["\(box)/script"]
        process.currentDirectoryURL = URL(filePath: "\(box)/root")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = ["PATH": "\(box)/bin:\(path)", "HOME": "\(box)/root"]
        return try await Homeroom.finish(process)
    }

    private var standIns: [String: String] {
        let become = account.map { "exec /usr/sbin/runuser -u \($0) -- \"$@\"" } ?? "exec \"$@\""
        let group =
            account.flatMap { getpwnam($0) }.map { Int($0.pointee.pw_gid) } ?? Int(getegid())
        let units = Guides.root.appending(path: "deploy/systemd").path
        let looksAtUnits = """
            while [ $# -gt 0 ]; do
                case "$1" in
                -u) shift; [ -e "\(units)/${1%.service}.service" ] || { echo "no unit $1" >&2; exit 5; } ;;
                esac
                shift
            done
            """
        return [
            // The file of the machine that runs the tests is somebody else's.
            "homeroom": "exec \(Homeroom.executable) \"$@\" --settings \(box)/etc/environment",
            "runuser": "[ \"$1 $2 $3\" = '-u homeroom --' ] || exit 9\nshift 3\n\(become)",
            "install": "exec /usr/bin/install \"${@/--group=homeroom/--group=\(group)}\"",
            "systemctl": systemctl(units), "journalctl": looksAtUnits, "dmesg": "", "vmstat": "",
            "iostat": "", "top": "", "patronictl": "",
        ]
    }

    private func systemctl(_ units: String) -> String {
        """
        stop() {
            [ -e \(box)/pid ] || return 0
            kill "$(cat \(box)/pid)" 2>/dev/null
            while kill -0 "$(cat \(box)/pid)" 2>/dev/null; do sleep 0.05; done
            rm \(box)/pid
        }
        start() {
            [ ! -e \(box)/pid ] || return 0
            (
                # What outlives the script must not keep what reads its output waiting.
                for file in /proc/$BASHPID/fd/*; do
                    [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"
                done
                exec homeroom serve >>\(box)/log 2>&1 </dev/null
            ) &
            echo $! >\(box)/pid
            until curl -sSf -o /dev/null http://127.0.0.1:\(ports.serving)/readyz 2>/dev/null; do
                kill -0 "$(cat \(box)/pid)" || { cat \(box)/log >&2; exit 1; }
                sleep 0.05
            done
        }
        if [ "$1" = list-unit-files ]; then
            printf '%s enabled enabled\\n' homeroom.socket homeroom.service homeroom-export.timer
            exit
        fi
        verb=$1
        for unit in "${@:2}"; do
            case "$unit" in
            homeroom*.service | homeroom*.socket | homeroom*.timer | homeroom*.target)
                compgen -G "\(units)/$unit" >/dev/null || { echo "no unit $unit" >&2; exit 5; } ;;
            esac
            case "$verb $unit" in
            "start homeroom.service") start ;;
            "stop homeroom.service" | "start homeroom-maintenance.target") stop ;;
            esac
        done
        """
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
        defer { close(descriptor) }
        return ListeningSocket.port(of: descriptor)
    }
}
