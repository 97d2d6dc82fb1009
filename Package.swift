// swift-tools-version: 6.2
// Read downwards: a target may depend on the ones above it, never on a neighbour's row below.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Tests are not optimized, even if what they test is: that would take longer than it saves. Kits that compare and make
/// much are, such as TestKit, which compares each answer with the API document.
let strictTests = strict + [.unsafeFlags(["-Onone"])]

/// The folders of `Sources`. The README of each says which others it may depend on.
enum Room: String {
    case foundations = "Foundations"
    case device = "Device"
    case interface = "Interface"
    case contract = "Contract"
    case ground = "Ground"
    case features = "Features"
    case wires = "Wires"
    case pages = "Pages"
    case program = "Program"

    /// Where a target is: in a folder of its room, unless the room has its name.
    func path(_ name: String) -> String {
        name == rawValue ? "Sources/\(name)" : "Sources/\(rawValue)/\(name)"
    }
}

func target(
    _ name: String, in room: Room, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: room.path(name), exclude: exclude,
        swiftSettings: strict)
}

func library(_ name: String, in room: Room = .foundations, _ package: String? = nil) -> Target {
    .systemLibrary(name: name, path: room.path(name), pkgConfig: package)
}

/// What tests need beside the code that they test; `deploy/test quick` runs those that are pure and those of schools.
enum Need: String {
    case nothing = "Pure"
    case school = "School"
    case processes = "Process"
    case browser = "Browser"
}

/// Any test may have to run alone.
func tests(_ name: String, _ need: Need, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["AloneKit"],
        path: "Tests/\(need.rawValue)/\(name)",
        swiftSettings: strictTests)
}

/// An app with the code that ClassKit was presented with, as the compiler takes it with these settings.
func seeds(_ name: String, in folder: String, _ settings: [SwiftSetting]) -> Target {
    .executableTarget(
        name: name, dependencies: ["ClassKit"], path: "Tests/\(folder)",
        swiftSettings: settings + [.treatAllWarnings(as: .error), .unsafeFlags(["-Onone"])])
}

let ground: [Target.Dependency] = [
    "School", "Contract", "API", "Values", "JSONBytes", "HTTPWire", "HTTPServer", "Postgres",
    "Crypto", "Log",
    "Metrics",
]

/// Depend on the ground, never on each other; with what each needs beside the ground.
let features: KeyValuePairs<String, [Target.Dependency]> = [
    "Access": ["EventLoop", "CSV", "HTTPClient"],
    "Activities": ["EventLoop"],
    "Announcements": [],
    "Audit": ["CSV"],
    "Catalog": ["EventLoop", "Images"],
    "Changes": ["EventLoop", "HTTPClient"],
    "Demonstration": ["Archive", "CSV"],
    "Directory": [],
    "Exports": ["Archive", "CSV", "Files", "EventLoop"],
    "Grades": [],
    "Handouts": [],
    "Imports": ["Archive", "CSV", "Files", "EventLoop", "HTTPClient"],
    "Licences": [],
    "Privileges": [],
    "Retention": [],
    "Records": ["Archive", "Files", "EventLoop"],
    "Reports": ["CSV", "EventLoop"],
]

/// Features that speak a standard of others; the same holds for them.
let wires: KeyValuePairs<String, [Target.Dependency]> = [
    "OneRoster": ["Archive", "CSV", "Files", "EventLoop"],
    "RosterAPI": [],
    "SCIM": [],
    "Tools": ["EventLoop", "HTTPClient"],
]

/// Both: what the program has to offer.
let subjects: [Target] =
    features.map { target($0.key, in: .features, ground + $0.value) }
    + wires.map { target($0.key, in: .wires, ground + $0.value) }

/// Apps that show how ClassKit is used, as their developers write them: in the settings of a new package.
let samples: [Target] = [
    "quizler": "Quizler", "bookreader": "BookReader", "learn-swift": "LearnSwift",
]
.map { name, folder in
    .executableTarget(
        name: name, dependencies: ["ClassKit", "ClassKitLinux"],
        path: "Sources/Device/Samples/\(folder)", exclude: ["README.md"],
        swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

let package = Package(
    name: "homeroom",
    products: [
        .executable(name: "homeroom", targets: ["homeroom"]),
        .library(name: "ClassKit", targets: ["ClassKit"]),
        .library(name: "ClassKitLinux", targets: ["ClassKitLinux"]),
    ],
    targets: [
        // C libraries
        library("CLinux"),
        library("CLibpq", "libpq"),
        library("COpenSSL", "openssl"),
        library("CCurl", "libcurl"),
        library("CZlib", "zlib"),
        library("CLibzip", "libzip"),
        library("CPNG", "libpng"),
        library("CTurboJPEG", "libturbojpeg"),
        library("CSeccomp", "libseccomp"),
        library("CQREncode", "libqrencode"),
        library("CArgon2", "libargon2"),
        library("CSQLite", in: .device, "sqlite3"),

        // Foundations: know nothing about schools
        target("Values", in: .foundations),
        target("Log", in: .foundations, ["Values"]),
        target("Metrics", in: .foundations),
        target("JSONBytes", in: .foundations, ["Values"]),
        target("CSV", in: .foundations),
        target("Files", in: .foundations),
        target("Crypto", in: .foundations, ["COpenSSL", "CArgon2", "Values", "JSONBytes"]),
        target("Archive", in: .foundations, ["CZlib", "CLibzip", "Files"]),
        target("Images", in: .foundations, ["CPNG", "CTurboJPEG", "CSeccomp", "CLinux"]),
        target("QRCodes", in: .foundations, ["CQREncode"]),
        target("EventLoop", in: .foundations, ["CLinux", "Metrics"]),
        target("Systemd", in: .foundations, ["CLinux", "EventLoop"]),
        target("HTTPClient", in: .foundations, ["CCurl", "EventLoop"]),
        target("HTTPWire", in: .foundations),
        target(
            "HTTPServer", in: .foundations,
            ["HTTPWire", "EventLoop", "CLinux", "COpenSSL", "Files", "Log", "Values", "Metrics"]),
        target(
            "Postgres", in: .foundations,
            ["CLibpq", "EventLoop", "CLinux", "Files", "JSONBytes", "Values", "Log", "Metrics"]),
        target("Cluster", in: .foundations, ["CLinux", "Files", "Log", "Values"]),

        // How apps on Linux reach a server: a client that knows nothing of the targets above
        target("ClassKitUplink", in: .device),
        // What apps on Linux link instead of Apple's framework: a client, without a line of the server
        target("ClassKit", in: .device, ["CSQLite", "ClassKitUplink"]),
        target("ClassKitLinux", in: .device, ["ClassKit", "ClassKitUplink"]),

        // The interface: HTTP APIs with their document, of whatever they are about
        target("Shapes", in: .interface, ["JSONBytes", "Values"]),
        target(
            "API", in: .interface,
            [
                "Shapes", "HTTPWire", "HTTPServer", "Postgres", "JSONBytes", "Crypto", "Files",
                "Values", "EventLoop",
            ]),

        // The contract: what features answer and pages read
        target(
            "Contract", in: .contract, ["Shapes", "HTTPWire", "JSONBytes", "Values"],
            exclude: ["README.md"]),

        // The ground every feature stands on
        target(
            "School", in: .ground,
            [
                "Contract", "API", "HTTPWire", "HTTPServer", "Postgres", "JSONBytes", "Crypto",
                "Files",
                "Values", "Log", "EventLoop", "Metrics",
            ]),

        // Assets, texts and examples: as arrays in Swift they would take two minutes to compile
        .target(
            name: "CEmbedded", path: Room.pages.path("CEmbedded"),
            cSettings: [.treatAllWarnings(as: .error)]),

        // The pages: a client of the API inside the process
        target(
            "Pages", in: .pages,
            [
                "Contract", "HTTPWire", "HTTPServer", "JSONBytes", "CSV", "Crypto", "Files",
                "Values",
                "Archive", "QRCodes", "CEmbedded", "EventLoop",
            ], exclude: ["Assets", "CEmbedded", "Catalogues", "README.md"]),

        // Features, and the program that has all of them
    ] + subjects + samples + [
        target(
            "Server", in: .program,
            ground + subjects.map { .byName(name: $0.name) } + [
                "Pages", "Cluster", "EventLoop", "CLinux", "Archive", "Files", "HTTPClient",
                "Images", "Systemd", "CEmbedded",
            ], exclude: ["Examples"]),
        .executableTarget(
            name: "homeroom", dependencies: ["Server"], path: Room.program.path("homeroom"),
            swiftSettings: strict),

        // For app developers: publishes what a context provider makes
        target("CatalogExport", in: .device, ["ClassKitUplink", "Crypto", "JSONBytes"]),
        .executableTarget(
            name: "classkit-catalog", dependencies: ["CatalogExport"],
            path: Room.device.path("classkit-catalog"), swiftSettings: strict),

        // Tests
        .target(
            name: "TestKit",
            dependencies: ground + ["Server", "Cluster", "EventLoop", "HTTPClient", "WaitKit"],
            path: "Tests/TestKit", swiftSettings: strict),
        .target(
            name: "RandomKit", dependencies: ["Values"],
            path: "Tests/RandomKit", swiftSettings: strict),
        .target(name: "AloneKit", path: "Tests/AloneKit", swiftSettings: strictTests),
        .target(name: "WaitKit", path: "Tests/WaitKit", swiftSettings: strictTests),
        .target(
            name: "WireKit", dependencies: ["HTTPWire", "CLinux"],
            path: "Tests/WireKit", swiftSettings: strictTests),
        .target(
            name: "BrowserKit", dependencies: ["JSONBytes", "WaitKit", "WireKit"],
            path: "Tests/BrowserKit", swiftSettings: strictTests),
        .target(
            name: "FaultyWire", dependencies: ["EventLoop"], path: "Tests/FaultyWire",
            swiftSettings: strictTests),
        .target(
            name: "NotifyKit", dependencies: ["CLinux"], path: "Tests/NotifyKit",
            swiftSettings: strictTests),
        .target(
            name: "DeviceKit", dependencies: ["ClassKitUplink"], path: "Tests/DeviceKit",
            swiftSettings: strictTests),
        tests("ClassKitUplinkTests", .nothing, ["ClassKitUplink", "DeviceKit", "WaitKit"]),
        tests(
            "ClassKitServerTests", .school,
            ground + ["TestKit", "ClassKitUplink", "DeviceKit"]),
        tests(
            "CatalogExportTests", .nothing,
            ["CatalogExport", "ClassKitUplink", "Crypto", "JSONBytes"]),
        // Apps compile in both language modes, with the settings of a new package.
        .target(
            name: "ClassKitSymbols", dependencies: ["ClassKit"], path: "Tests/ClassKitSymbols",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .target(
            name: "ClassKitSymbols5", dependencies: ["ClassKit"], path: "Tests/ClassKitSymbols5",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        // What apps are compiled with: each prints what came of the same code.
        seeds("classkit-seeds", in: "ClassKitSeeds", [.swiftLanguageMode(.v6)]),
        seeds("classkit-seeds-5", in: "ClassKitSeeds5", [.swiftLanguageMode(.v5)]),
        seeds(
            "classkit-seeds-main", in: "ClassKitSeedsMain",
            [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ]),
        .executableTarget(
            name: "classkit-acceptance", dependencies: ["ClassKit", "ClassKitLinux"],
            path: "Tests/ClassKitAcceptance",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        tests(
            "ClassKitTests", .nothing,
            [
                "ClassKit", "ClassKitLinux", "ClassKitUplink", "ClassKitSymbols",
                "ClassKitSymbols5", "WaitKit", "classkit-acceptance", "classkit-seeds",
                "classkit-seeds-5", "classkit-seeds-main",
            ]),
        tests("ValuesTests", .nothing, ["Values"]),
        tests("LogTests", .nothing, ["Log", "Values"]),
        tests("MetricsTests", .nothing, ["Metrics"]),
        tests("JSONBytesTests", .nothing, ["JSONBytes", "Values", "RandomKit"]),
        tests("FilesTests", .nothing, ["Files"]),
        tests("CSVTests", .nothing, ["CSV", "Values", "RandomKit"]),
        tests("CryptoTests", .nothing, ["Crypto", "Values", "JSONBytes"]),
        tests("ArchiveTests", .nothing, ["Archive", "Files", "Values", "RandomKit"]),
        .target(
            name: "PictureKit", dependencies: ["Images"], path: "Tests/PictureKit",
            swiftSettings: strict),
        .systemLibrary(name: "CAttempts", path: "Tests/CAttempts"),
        .executableTarget(
            name: "sandbox-under-test", dependencies: ["Images", "CAttempts"],
            path: "Tests/SandboxUnderTest", swiftSettings: strictTests),
        tests(
            "ImagesTests", .nothing,
            ["Images", "Values", "PictureKit", "RandomKit", "sandbox-under-test"]),
        tests("EventLoopTests", .nothing, ["EventLoop", "CLinux", "Metrics", "WaitKit"]),
        tests(
            "SystemdTests", .nothing, ["Systemd", "NotifyKit", "EventLoop", "CLinux", "Metrics"]),
        tests("HTTPClientTests", .nothing, ["HTTPClient", "EventLoop"]),
        tests("HTTPWireTests", .nothing, ["HTTPWire"]),
        .executableTarget(
            name: "engine-under-test", dependencies: ["HTTPServer", "HTTPWire", "EventLoop"],
            path: "Tests/EngineUnderTest", swiftSettings: strictTests),
        tests(
            "HTTPServerTests", .processes,
            [
                "HTTPServer", "HTTPWire", "EventLoop", "CLinux", "COpenSSL", "Log", "Values",
                "WireKit",
                "RandomKit", "WaitKit", "engine-under-test",
            ]),
        tests(
            "PostgresTests", .processes,
            [
                "Postgres", "EventLoop", "JSONBytes", "Values", "Cluster", "Log", "FaultyWire",
                "Metrics", "WaitKit",
            ]),
        tests("ClusterTests", .processes, ["Cluster", "Files", "WaitKit"]),
        tests("APITests", .nothing, ["API", "JSONBytes", "Crypto", "HTTPWire"]),
        tests("SchoolTests", .school, ground + ["TestKit", "WaitKit", "EventLoop"]),
        tests(
            "AccessTests", .school,
            ground + ["TestKit", "WaitKit", "Access", "EventLoop", "HTTPClient"]),
        tests("AnnouncementsTests", .school, ground + ["TestKit", "Announcements"]),
        tests(
            "OneRosterTests", .school, ground + ["TestKit", "WaitKit", "OneRoster", "RandomKit"]),
        tests("GradesTests", .school, ground + ["TestKit", "Grades"]),
        tests("RosterAPITests", .school, ground + ["TestKit", "RosterAPI"]),
        tests("SCIMTests", .school, ground + ["TestKit", "SCIM"]),
        tests("AuditTests", .school, ground + ["TestKit", "Audit", "CSV"]),
        tests("DirectoryTests", .school, ground + ["TestKit", "Directory"]),
        tests("PrivilegesTests", .school, ground + ["TestKit", "Privileges"]),
        tests("RetentionTests", .school, ground + ["TestKit", "Retention"]),
        tests("RecordsTests", .school, ground + ["TestKit", "Records", "Archive"]),
        tests(
            "ImportsTests", .school,
            ground + [
                "TestKit", "RandomKit", "WaitKit", "Imports", "Archive", "CSV", "Files",
                "HTTPClient", "EventLoop",
            ]),
        tests("LicencesTests", .school, ground + ["TestKit", "Licences"]),
        tests(
            "CatalogTests", .school,
            ground + ["TestKit", "WaitKit", "Catalog", "Images", "PictureKit"]),
        tests(
            "ChangesTests", .school,
            ground + ["TestKit", "WaitKit", "Changes", "HTTPClient", "EventLoop"]),
        tests(
            "ToolsTests", .school,
            ground + ["TestKit", "Tools", "Activities", "EventLoop", "HTTPClient"]),
        tests("HandoutsTests", .school, ground + ["TestKit", "WaitKit", "Handouts"]),
        tests(
            "ActivitiesTests", .school,
            ground + ["TestKit", "RandomKit", "Activities", "EventLoop"]),
        tests("ReportsTests", .school, ground + ["TestKit", "WaitKit", "Reports"]),
        tests(
            "ExportsTests", .school,
            ground + ["TestKit", "WaitKit", "RandomKit", "Exports", "Archive", "CSV", "Files"]),
        tests("DemonstrationTests", .school, ground + ["TestKit", "Demonstration", "Archive"]),
        tests("QRCodesTests", .nothing, ["QRCodes"]),
        tests(
            "PagesTests", .nothing,
            [
                "Pages", "Contract", "Shapes", "Archive", "HTTPWire", "HTTPServer", "JSONBytes",
                "Crypto", "Values",
                "QRCodes", "EventLoop", "WaitKit",
            ]),
        tests("SQLTests", .school, ground + ["TestKit", "Server", "Files"]),
        .target(
            name: "PrivacyRules", path: "Tests/PrivacyRules", swiftSettings: strict),
        tests(
            "PrivacyTests", .school,
            ground + ["TestKit", "RandomKit", "PrivacyRules", "Exports", "Archive"]),
        // The program: what starts it, asks it and looks at it; tests import it as `@testable`.
        .target(
            name: "ServerKit",
            dependencies: ground + [
                "TestKit", "WaitKit", "WireKit", "FaultyWire", "Server", "EventLoop", "Archive",
                "CSV",
            ], path: "Tests/ServerKit", swiftSettings: strictTests),
        tests(
            "ServiceTests", .school,
            ground + [
                "TestKit", "ServerKit", "WaitKit", "WireKit", "Server", "EventLoop", "Archive",
                "RandomKit", "CSV",
            ]),
        tests(
            "StoryTests", .browser,
            ground + [
                "TestKit", "ServerKit", "WaitKit", "WireKit", "Server", "BrowserKit",
            ]),
        tests(
            "ServerTests", .processes,
            ground + [
                "TestKit", "ServerKit", "NotifyKit", "WaitKit", "WireKit", "Server", "Archive",
                "EventLoop", "PictureKit", "FaultyWire", "CSV", "RandomKit", "classkit-acceptance",
                "Demonstration",
            ]),
    ]
)
