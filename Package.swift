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

func target(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// Any test may have to run alone.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["AloneKit"], swiftSettings: strict)
}

let ground: [Target.Dependency] = [
    "School", "API", "Values", "JSONBytes", "HTTPWire", "HTTPServer", "Postgres", "Crypto", "Log",
    "Metrics",
]

/// Depend on the ground, never on each other; with what each needs beside the ground.
let features: KeyValuePairs<String, [Target.Dependency]> = [
    "Access": ["EventLoop", "CSV", "HTTPClient"],
    "Activities": ["EventLoop"],
    "Announcements": [],
    "AppsAndBooks": [],
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
    "OneRoster": ["Archive", "CSV", "Files", "EventLoop"],
    "Privileges": [],
    "Retention": [],
    "RosterAPI": [],
    "SCIM": [],
    "Records": ["Archive", "Files", "EventLoop"],
    "Reports": ["CSV", "EventLoop"],
    "Tools": ["EventLoop", "HTTPClient"],
]

/// Apps that show how ClassKit is used, as their developers write them: in the settings of a new package.
let samples: [Target] = [
    "quizler": "Quizler", "bookreader": "BookReader", "learn-swift": "LearnSwift",
]
.map { name, folder in
    .executableTarget(
        name: name, dependencies: ["ClassKit", "ClassKitLinux"],
        path: "Sources/Samples/\(folder)", exclude: ["README.md"],
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
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CLibzip", pkgConfig: "libzip"),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng"),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg"),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp"),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),

        // Foundations: know nothing about schools
        target("Values"),
        target("Log", ["Values"]),
        target("Metrics"),
        target("JSONBytes", ["Values"]),
        target("CSV"),
        target("Files"),
        target("Crypto", ["COpenSSL", "Values", "JSONBytes"]),
        target("Archive", ["CZlib", "CLibzip", "Files"]),
        target("Images", ["CPNG", "CTurboJPEG", "CSeccomp", "CLinux"]),
        target("QRCodes", ["CQREncode"]),
        target("EventLoop", ["CLinux", "Metrics"]),
        target("Systemd", ["CLinux", "EventLoop"]),
        target("HTTPClient", ["CCurl", "EventLoop"]),
        target("HTTPWire"),
        target(
            "HTTPServer",
            ["HTTPWire", "EventLoop", "CLinux", "COpenSSL", "Files", "Log", "Values", "Metrics"]),
        target(
            "Postgres",
            ["CLibpq", "EventLoop", "CLinux", "Files", "JSONBytes", "Values", "Log", "Metrics"]),
        target("Cluster", ["CLinux", "Files", "Log", "Values"]),

        // How apps on Linux reach a server: a client that knows nothing of the targets above
        target("ClassKitUplink"),
        // What apps on Linux link instead of Apple's framework: a client, without a line of the server
        target("ClassKit", ["CSQLite", "ClassKitUplink"]),
        target("ClassKitLinux", ["ClassKit", "ClassKitUplink"]),

        // The interface: HTTP APIs with their document, of whatever they are about
        target(
            "API",
            [
                "HTTPWire", "HTTPServer", "Postgres", "JSONBytes", "Crypto", "Files", "Values",
                "EventLoop",
            ]),

        // The ground every feature stands on
        target(
            "School",
            [
                "API", "HTTPWire", "HTTPServer", "Postgres", "JSONBytes", "Crypto", "Values",
                "Log", "EventLoop", "Metrics",
            ]),

        // Assets, texts and examples: as arrays in Swift they would take two minutes to compile
        .target(name: "CEmbedded", cSettings: [.treatAllWarnings(as: .error)]),

        // The pages: a client of the API inside the process
        target(
            "Pages",
            [
                "HTTPWire", "HTTPServer", "JSONBytes", "CSV", "Crypto", "Files", "Values",
                "Archive", "QRCodes", "CEmbedded",
            ], exclude: ["Assets", "Catalogues"]),

        // Features, and the program that has all of them
    ] + features.map { target($0.key, ground + $0.value) } + samples + [
        target(
            "Server",
            ground + features.map { .byName(name: $0.key) } + [
                "Pages", "Cluster", "EventLoop", "CLinux", "Archive", "Files", "HTTPClient",
                "Images", "Systemd", "CEmbedded",
            ], exclude: ["Examples"]),
        .executableTarget(name: "homeroom", dependencies: ["Server"], swiftSettings: strict),

        // For app developers: publishes what a context provider makes
        target("CatalogExport", ["ClassKitUplink", "Crypto", "JSONBytes"]),
        .executableTarget(
            name: "classkit-catalog", dependencies: ["CatalogExport"], swiftSettings: strict),

        // Tests
        .target(
            name: "TestKit",
            dependencies: ground + ["Server", "Cluster", "EventLoop", "HTTPClient", "WaitKit"],
            path: "Tests/TestKit", swiftSettings: strict),
        .target(
            name: "RandomKit", dependencies: ["Values"],
            path: "Tests/RandomKit", swiftSettings: strict),
        .target(name: "AloneKit", path: "Tests/AloneKit", swiftSettings: strict),
        .target(name: "WaitKit", path: "Tests/WaitKit", swiftSettings: strict),
        .target(
            name: "WireKit", dependencies: ["HTTPWire", "CLinux"],
            path: "Tests/WireKit", swiftSettings: strict),
        .target(
            name: "BrowserKit", dependencies: ["JSONBytes", "WaitKit", "WireKit"],
            path: "Tests/BrowserKit", swiftSettings: strict),
        .target(
            name: "FaultyWire", dependencies: ["EventLoop"], path: "Tests/FaultyWire",
            swiftSettings: strict),
        .target(
            name: "NotifyKit", dependencies: ["CLinux"], path: "Tests/NotifyKit",
            swiftSettings: strict),
        .target(
            name: "DeviceKit", dependencies: ["ClassKitUplink"], path: "Tests/DeviceKit",
            swiftSettings: strict),
        tests("ClassKitUplinkTests", ["ClassKitUplink", "DeviceKit", "WaitKit"]),
        tests(
            "ClassKitServerTests",
            ground + ["TestKit", "ClassKitUplink", "DeviceKit"]),
        tests("CatalogExportTests", ["CatalogExport", "ClassKitUplink", "Crypto", "JSONBytes"]),
        // Apps compile in both language modes, with the settings of a new package.
        .target(
            name: "ClassKitSymbols", dependencies: ["ClassKit"], path: "Tests/ClassKitSymbols",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .target(
            name: "ClassKitSymbols5", dependencies: ["ClassKit"], path: "Tests/ClassKitSymbols5",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "classkit-acceptance", dependencies: ["ClassKit", "ClassKitLinux"],
            path: "Tests/ClassKitAcceptance",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        tests(
            "ClassKitTests",
            [
                "ClassKit", "ClassKitLinux", "ClassKitUplink", "ClassKitSymbols",
                "ClassKitSymbols5", "WaitKit", "classkit-acceptance",
            ]),
        tests("ValuesTests", ["Values"]),
        tests("LogTests", ["Log", "Values"]),
        tests("MetricsTests", ["Metrics"]),
        tests("JSONBytesTests", ["JSONBytes", "Values", "RandomKit"]),
        tests("FilesTests", ["Files"]),
        tests("CSVTests", ["CSV", "Values", "RandomKit"]),
        tests("CryptoTests", ["Crypto", "Values", "JSONBytes"]),
        tests("ArchiveTests", ["Archive", "Files", "Values", "RandomKit"]),
        .target(
            name: "PictureKit", dependencies: ["Images"], path: "Tests/PictureKit",
            swiftSettings: strict),
        .systemLibrary(name: "CAttempts", path: "Tests/CAttempts"),
        .executableTarget(
            name: "sandbox-under-test", dependencies: ["Images", "CAttempts"],
            path: "Tests/SandboxUnderTest", swiftSettings: strict),
        tests(
            "ImagesTests", ["Images", "Values", "PictureKit", "RandomKit", "sandbox-under-test"]),
        tests("EventLoopTests", ["EventLoop", "CLinux", "Metrics", "WaitKit"]),
        tests("SystemdTests", ["Systemd", "NotifyKit", "EventLoop", "CLinux", "Metrics"]),
        tests("HTTPClientTests", ["HTTPClient", "EventLoop"]),
        tests("HTTPWireTests", ["HTTPWire"]),
        .executableTarget(
            name: "engine-under-test", dependencies: ["HTTPServer", "HTTPWire", "EventLoop"],
            path: "Tests/EngineUnderTest", swiftSettings: strict),
        tests(
            "HTTPServerTests",
            [
                "HTTPServer", "HTTPWire", "EventLoop", "CLinux", "COpenSSL", "Log", "Values",
                "WireKit",
                "RandomKit", "WaitKit", "engine-under-test",
            ]),
        tests(
            "PostgresTests",
            [
                "Postgres", "EventLoop", "JSONBytes", "Values", "Cluster", "Log", "FaultyWire",
                "Metrics", "WaitKit",
            ]),
        tests("ClusterTests", ["Cluster", "Files", "WaitKit"]),
        tests("APITests", ["API", "JSONBytes", "Crypto", "HTTPWire"]),
        tests("SchoolTests", ground + ["TestKit", "WaitKit", "EventLoop"]),
        tests(
            "AccessTests", ground + ["TestKit", "WaitKit", "Access", "EventLoop", "HTTPClient"]),
        tests("AnnouncementsTests", ground + ["TestKit", "Announcements"]),
        tests("OneRosterTests", ground + ["TestKit", "WaitKit", "OneRoster", "RandomKit"]),
        tests("GradesTests", ground + ["TestKit", "Grades"]),
        tests("RosterAPITests", ground + ["TestKit", "RosterAPI"]),
        tests("SCIMTests", ground + ["TestKit", "SCIM"]),
        tests("AuditTests", ground + ["TestKit", "Audit", "CSV"]),
        tests("DirectoryTests", ground + ["TestKit", "Directory"]),
        tests("PrivilegesTests", ground + ["TestKit", "Privileges"]),
        tests("RetentionTests", ground + ["TestKit", "Retention"]),
        tests("RecordsTests", ground + ["TestKit", "Records", "Archive"]),
        tests(
            "ImportsTests",
            ground + [
                "TestKit", "RandomKit", "WaitKit", "Imports", "Archive", "CSV", "Files",
                "HTTPClient", "EventLoop",
            ]),
        tests("AppsAndBooksTests", ground + ["TestKit", "AppsAndBooks"]),
        tests("LicencesTests", ground + ["TestKit", "Licences"]),
        tests("CatalogTests", ground + ["TestKit", "WaitKit", "Catalog", "Images", "PictureKit"]),
        tests(
            "ChangesTests", ground + ["TestKit", "WaitKit", "Changes", "HTTPClient", "EventLoop"]),
        tests(
            "ToolsTests", ground + ["TestKit", "Tools", "Activities", "EventLoop", "HTTPClient"]),
        tests("HandoutsTests", ground + ["TestKit", "Handouts"]),
        tests("ActivitiesTests", ground + ["TestKit", "RandomKit", "Activities", "EventLoop"]),
        tests("ReportsTests", ground + ["TestKit", "WaitKit", "Reports"]),
        tests(
            "ExportsTests", ground + ["TestKit", "WaitKit", "Exports", "Archive", "CSV", "Files"]),
        tests("DemonstrationTests", ground + ["TestKit", "Demonstration", "Archive"]),
        tests("QRCodesTests", ["QRCodes"]),
        tests(
            "PagesTests",
            [
                "Pages", "Archive", "HTTPWire", "HTTPServer", "JSONBytes", "Crypto", "Values",
                "QRCodes",
            ]),
        tests("SQLTests", ground + ["TestKit", "Server", "Files"]),
        .target(
            name: "PrivacyRules", path: "Tests/PrivacyRules", swiftSettings: strict),
        tests(
            "PrivacyTests",
            ground + ["TestKit", "RandomKit", "PrivacyRules", "Exports", "Archive"]),
        tests(
            "ServerTests",
            ground + [
                "TestKit", "NotifyKit", "WaitKit", "WireKit", "Server", "Archive", "EventLoop",
                "PictureKit", "FaultyWire", "BrowserKit", "CSV", "RandomKit", "classkit-acceptance",
            ]),
    ]
)
