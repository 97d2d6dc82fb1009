import Glibc

/// Shows a command's progress on standard error: a bar on a terminal, otherwise a line for each tenth.
final class ProgressLine {
    private let name: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var tenths = 0
    private var hasBar = false

    init(_ name: String) {
        self.name = name
    }

    /// - Parameter progress: from 0 to 1.
    func show(_ progress: Double) {
        let percent = Int(max(0, min(1, progress)) * 100)
        if isTerminal {
            let filled = percent * 40 / 100
            let bar =
                String(repeating: "#", count: filled) + String(repeating: "-", count: 40 - filled)
            writeText("\r\(name) [\(bar)] \(percent) %")
            hasBar = true
        } else if percent / 10 > tenths {
            tenths = percent / 10
            complain("\(name): \(tenths * 10) %")
        }
    }

    /// Leaves the bar as it is and begins a new line.
    func end() {
        show(1)
        if hasBar { writeText("\n") }
    }

    private func writeText(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
