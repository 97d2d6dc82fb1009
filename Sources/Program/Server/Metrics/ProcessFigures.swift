import Files
import Glibc
import Metrics

/// The kernel's figures about this process, under the names that every Prometheus client uses.
struct ProcessFigures {
    /// Resident memory in bytes.
    let residentBytes: Int
    /// Processor time of all threads, user and system.
    let cpuSeconds: Double
    let openDescriptors: Int
    let descriptorsMax: Int
    /// Seconds since 1970.
    let startedAt: Double

    /// Reads them from `/proc/self` (proc(5)); `nil` if that does not exist.
    init?() {
        guard let statistics = readText("/proc/self/stat"),
            let memory = readText("/proc/self/statm"),
            let boot = readText("/proc/stat")?.split(separator: "\n")
                .first(where: { $0.hasPrefix("btime ") })?.split(separator: " ").last
                .flatMap({ Double($0) }),
            // The program's name is in parentheses and may contain anything.
            let nameEnd = statistics.lastIndex(of: ")")
        else { return nil }
        let fields = statistics[nameEnd...].split(separator: " ").dropFirst().map {
            Double($0) ?? 0
        }
        let pages = memory.split(separator: " ").map { Int($0) ?? 0 }
        guard fields.count > 19, pages.count > 1 else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        residentBytes = pages[1] * sysconf(Int32(_SC_PAGESIZE))
        cpuSeconds = (fields[11] + fields[12]) / ticks
        startedAt = boot + fields[19] / ticks
        // Without the descriptor that is used for counting.
        openDescriptors = max(0, Folder.names(in: "/proc/self/fd").count - 1)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        descriptorsMax = Int(clamping: limit.rlim_cur)
    }

    func export(to metrics: inout Exposition) {
        metrics.gauge(
            "process_resident_memory_bytes", "Resident memory size in bytes.", residentBytes)
        metrics.begin(
            .counter, "process_cpu_seconds_total",
            "Total user and system CPU time spent in seconds.")
        metrics.sample(cpuSeconds)
        metrics.gauge("process_open_fds", "Number of open file descriptors.", openDescriptors)
        metrics.gauge("process_max_fds", "Maximum number of open file descriptors.", descriptorsMax)
        metrics.gauge(
            "process_start_time_seconds",
            "Start time of the process since unix epoch in seconds.", startedAt)
    }
}

/// The text of a small kernel file; `nil` if it cannot be read.
private func readText(_ path: String) -> String? {
    (try? File.contents(of: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
}
