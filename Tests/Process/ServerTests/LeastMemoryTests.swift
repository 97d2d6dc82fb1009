import Testing

@testable import Server

/// Whether the service starts in the memory that it has.
@Suite struct LeastMemories {
    /// Files of a kernel, by their paths.
    private func memory(_ files: [String: String]) -> LeastMemory? { LeastMemory { files[$0] } }

    private func machine(megabytes: Int) -> String {
        "MemTotal:       \(megabytes * 1024) kB\nMemFree:        1024 kB\n"
    }

    @Test(arguments: [(4096, true), (512, true), (480, true), (447, false), (128, false)])
    func `a machine of 512 MB is enough, although its kernel keeps some`(
        megabytes: Int, isEnough: Bool
    ) throws {
        let here = try #require(memory(["/proc/meminfo": machine(megabytes: megabytes)]))
        #expect((here.complaint(isAlone: false) == nil) == isEnough)
        #expect(here.source == "the machine")
    }

    @Test func `the smallest limit counts, of the group and of those around it`() throws {
        var files = [
            "/proc/meminfo": machine(megabytes: 8192),
            "/proc/self/cgroup": "1:name=systemd:/x\n0::/system.slice/homeroom.service\n",
            "/sys/fs/cgroup/system.slice/homeroom.service/memory.max": "max\n",
        ]
        #expect(memory(files)?.available == 8192 << 20)
        files["/sys/fs/cgroup/system.slice/memory.max"] = "\(128 << 20)\n"
        let here = try #require(memory(files))
        #expect(here.available == 128 << 20)
        #expect(here.source == "/sys/fs/cgroup/system.slice/memory.max")
        let text = try #require(here.complaint(isAlone: false))
        #expect(text.contains("needs 512 MB of memory, and has 128 MB here"))
        files["/sys/fs/cgroup/system.slice/homeroom.service/memory.max"] = "\(64 << 20)\n"
        #expect(memory(files)?.available == 64 << 20)
    }

    @Test func `in a container the limit is at the top`() {
        let files = [
            "/proc/meminfo": machine(megabytes: 8192), "/proc/self/cgroup": "0::/\n",
            "/sys/fs/cgroup/memory.max": "\(300 << 20)\n",
        ]
        #expect(memory(files)?.available == 300 << 20)
        #expect(memory(files)?.complaint(isAlone: false) != nil)
        #expect(memory(files)?.complaint(isAlone: true) == nil, "PostgreSQL is elsewhere")
    }

    @Test func `where the kernel says nothing, nothing is refused`() {
        #expect(memory([:]) == nil)
        #expect(memory(["/proc/meminfo": "MemFree: 12 kB\n"]) == nil)
    }

    @Test func `the guides say what is checked`() throws {
        for guide in ["install", "growth"] {
            let text = try Guides.text("deploy/guides/\(guide).md")
            #expect(text.contains("\(LeastMemory.megabytes) MB"), "\(guide)")
            #expect(text.contains("\(LeastMemory.megabytesAlone) MB"), "\(guide)")
        }
    }
}
