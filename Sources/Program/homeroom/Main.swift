import Glibc
import Server

/// The only code on the main actor; everything else runs on loops and threads of its own.
@main
struct Main {
    static func main() {
        exit(
            Program.run(
                Array(CommandLine.arguments.dropFirst()), environment: environment(),
                settingsFile: "/etc/homeroom/environment"))
    }
}

/// The variables of the process.
private func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var pointer = environ
    while let entry = pointer.pointee {
        let text = String(cString: entry)
        if let equals = text.firstIndex(of: "=") {
            variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        pointer += 1
    }
    return variables
}
