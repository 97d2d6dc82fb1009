import Files
import Glibc

/// The file in which the operator sets what differs from the defaults, `/etc/homeroom/environment`. systemd reads it for
/// the service (`EnvironmentFile=`); commands read it by themselves, so that they use the service's database without
/// being told.
struct SettingsFile {
    /// Where the service keeps its data unless the file says otherwise, as its unit has it.
    static let dataFolder = "/var/lib/homeroom"
    private static let sizeMax = 1_048_576
    private static let prefix = "HOMEROOM_"

    /// The settings of a command: the variables of its process and its flags; from the file what those leave open, if
    /// an option names one or no variable is a setting.
    ///
    /// - Parameters:
    ///   - named: the file that an option names; it must be there.
    ///   - path: the file otherwise; it may be absent.
    static func settings(
        _ environment: [String: String], flags: [String: String], named: String?,
        otherwise path: String?
    ) throws -> Settings {
        // The secret of one call says nothing about the installation.
        let isSilent = !environment.keys.contains {
            $0.hasPrefix(prefix) && $0 != "HOMEROOM_CLIENT_SECRET"
        }
        guard let file = try named.map(SettingsFile.init) ?? (isSilent ? path.flatMap(found) : nil)
        else { return try Settings(environment: environment, flags: flags) }
        var variables = file.parsed.variables.mapValues(\.value)
        variables["HOMEROOM_DATA"] = variables["HOMEROOM_DATA"] ?? dataFolder
        do {
            return try Settings(
                environment: variables.merging(environment) { $1 }, flags: flags)
        } catch let error as Settings.Unreadable {
            throw file.locate(error)
        }
    }

    private let path: String
    private let parsed: EnvironmentText

    /// The file of this path; `nil` if there is none.
    private static func found(_ path: String) throws -> SettingsFile? {
        access(path, F_OK) == 0 || errno != ENOENT ? try SettingsFile(path) : nil
    }

    /// Reads it. Nobody but root and this process's own account may be able to write it: what it says is done with
    /// this account's rights.
    private init(_ path: String) throws {
        let (content, owner) = try SettingsFile.content(of: path)
        guard owner.user == 0 || owner.user == geteuid(), owner.mode & 0o022 == 0 else {
            throw Settings.Unreadable(
                description:
                    "\(path) can be changed by others than root. Run chown root \(path) and chmod go-w \(path)"
            )
        }
        do {
            parsed = try EnvironmentText(String(decoding: content, as: UTF8.self))
        } catch {
            throw Settings.Unreadable(description: "\(path), line \(error.line): \(error.text)")
        }
        self.path = path
    }

    private static func content(
        of path: String
    ) throws -> ([UInt8], owner: (user: uid_t, mode: mode_t)) {
        do {
            let owner = try File.reading(path).ownership()
            return (try File.contents(of: path, limit: sizeMax), owner)
        } catch {
            throw Settings.Unreadable(
                description: """
                    \(error). It holds the settings of the Homeroom on this machine: run this as root, or set \
                    HOMEROOM_DATA to use another one
                    """)
        }
    }

    /// Adds the line that a complaint about a variable is about.
    private func locate(_ error: Settings.Unreadable) -> Settings.Unreadable {
        let words = error.description.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        guard let name = words.first(where: { $0.hasPrefix(Self.prefix) }),
            let line = parsed.variables[String(name)]?.line
        else { return error }
        return Settings.Unreadable(description: "\(path), line \(line): \(error.description)")
    }
}
