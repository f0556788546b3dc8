// swift-tools-version: 6.2
import PackageDescription

/// Every target of this package is compiled with the same rules; `make` turns warnings into errors.
let strictSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ] + (Context.environment["CAPRIG_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// Generated code keeps the generator's style.
let generatedSettings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

/// - Parameter layer: The folder of `Sources` that the module's own is in; nil for `Sources` itself.
func module(_ name: String, in layer: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: layer.map { "Sources/\($0)/\(name)" },
        swiftSettings: strictSettings)
}

/// A module in the folder of its layer.
func module(_ layer: String, _ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: strictSettings)
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strictSettings)
}

/// Tests are not optimized where what they test is: that takes time and gains none, and Swift 6.3's optimizer crashes on some.
let testSettings = strictSettings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// - Parameter layer: The folder of `Tests` that the target's own is in; nil for `Tests` itself.
func tests(
    _ name: String, in layer: String? = nil, _ dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: layer.map { "Tests/\($0)/\(name)" }, resources: resources,
        swiftSettings: testSettings)
}

/// Support of tests, in `Tests`: built as the products are, and no product may depend on it.
func testSupport(_ name: String, in layer: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(layer)/\(name)", swiftSettings: strictSettings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let orderedCollections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

/// The folder of a libzmq that is linked instead of the system's: `tools/libzmq` builds one that no peer can abort, and
/// `make` sets the variable. The library is static, so it does not bring along what it needs itself.
let libzmq: [LinkerSetting] =
    switch Context.environment["CAPRIG_LIBZMQ"] {
    case let folder? where !folder.isEmpty:
        [.unsafeFlags(["-L\(folder)"]), .linkedLibrary("sodium"), .linkedLibrary("stdc++")]
    default: []
    }

/// What fuzz targets read with, and their tests use.
let fuzzed: [Target.Dependency] = [
    "AgentRuntime", "CapctlCommands", "CaptureDevices", "CaptureEngine", "CaptureModel", "CaptureTestSupport",
    "Catalogue", "ClockSync", "CoordinatorRuntime", "Export", "FolderStore", "ImageMetadata", "Journal", "Movies",
    "PosixSupport", "Previews", "RigClient", "RigConfiguration", "RigProtocol", "RigWire", "ShotDocuments",
    "ShotLogic", "Spool", "TimeCode", "TurboJPEG", "Video4Linux", argumentParser, protobuf,
]

/// The fuzzer and the tests that replay its corpus are made of the same targets; `make fuzz` sets the variable, and
/// builds the fuzzer only.
let fuzzing: Target =
    Context.environment["CAPRIG_FUZZ"] == nil
    ? .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz",
        exclude: ["Corpus", "Driver", "record.py", "run"], sources: ["Targets", "Replay"],
        swiftSettings: testSettings)
    : .executableTarget(
        name: "caprig-fuzz", dependencies: fuzzed, path: "Tests/Fuzz",
        exclude: ["Corpus", "Replay", "record.py", "run"], sources: ["Targets", "Driver"],
        swiftSettings: strictSettings)

let package = Package(
    name: "caprig",
    products: [
        .library(name: "ZeroMQ", targets: ["ZeroMQ"]),
        .library(
            name: "CaptureEngine",
            targets: [
                "CaptureModel", "CaptureSystem", "CaptureDevices", "CaptureEngine", "FaultPoints", "Movies",
                "PosixSupport",
                "Spool",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // C: what Swift cannot import by itself.
        .target(name: "CALSA"),
        .target(name: "CDNG"),
        .target(name: "CLibAV"),
        .target(name: "CLibRaw"),
        .target(name: "CPosix"),
        .target(name: "CTurboJPEG"),
        .target(name: "CVideo4Linux"),
        .target(name: "CZeroMQ", linkerSettings: libzmq),

        // Wrappers know no word of the domain.
        module("PosixSupport", ["CPosix"]),
        module("ALSA", ["CALSA"]),
        module("TurboJPEG", ["CTurboJPEG"]),
        module("Video4Linux", ["CVideo4Linux"]),
        module("ZeroMQ", ["CZeroMQ"]),
        module("ImageMetadata", ["CPosix"]),
        module("DNG", ["CDNG", "ImageMetadata"]),
        module("LibAV", ["CLibAV", "PosixSupport"]),
        module("LibRaw", ["CLibRaw"]),
        module("ExternalPrograms", ["PosixSupport", subprocess, systemPackage]),
        module("TimeCode"),

        // Model: values, no I/O.
        module("CaptureModel"),
        .target(name: "RigProtocol", dependencies: [protobuf], swiftSettings: generatedSettings),
        module("RigWire", ["CaptureModel", "RigProtocol", protobuf]),
        module("RigConfiguration", ["CaptureModel", yams]),

        // The model on this machine: its clocks and its file errors.
        module("CaptureSystem", ["CaptureModel", "CPosix", "PosixSupport"]),
        // Places at which tests make programs fail.
        module("FaultPoints", ["CaptureModel", "CPosix", "PosixSupport"]),

        // Devices.
        module(
            "CaptureDevices",
            [
                "ALSA", "CaptureModel", "DNG", "ImageMetadata", "PosixSupport", "TimeCode",
                "TurboJPEG", "Video4Linux",
            ]),

        // Engine.
        module("ClockSync", ["CaptureModel", "PosixSupport"]),
        module("ShotLogic", ["CaptureModel"]),
        module("Journal", ["CaptureModel", "FaultPoints", "PosixSupport"]),
        // Shots, takes and what they consist of as JSON documents.
        module("Storage", "ShotDocuments", ["CaptureModel", "PosixSupport"]),
        module("Spool", ["CaptureModel", "CaptureSystem", "FaultPoints", "PosixSupport", "ShotDocuments", crypto]),
        module(
            "Movies",
            ["CaptureModel", "ExternalPrograms", "FaultPoints", "ImageMetadata", "LibAV", "PosixSupport"]),

        // Storage.
        // The manifest as bytes.
        module("ShotDocuments", in: "Storage", ["CaptureModel", "PosixSupport"]),
        // What a store of shots and their files owes its users; no I/O.
        module("StorageKit", in: "Storage", ["CaptureModel", "PosixSupport"]),
        // A store that is a tree of folders on a local disk.
        module(
            "FolderStore", in: "Storage",
            ["CaptureModel", "FaultPoints", "PosixSupport", "ShotDocuments", "StorageKit", crypto]),
        // Puts shots of a store into a folder, as other programs want them.
        module(
            "Export", in: "Storage",
            ["CaptureModel", "PosixSupport", "ShotDocuments", "ShotLogic", "StorageKit", crypto]),
        module("Catalogue", ["CaptureModel", "PosixSupport", "StorageKit", grdb]),
        module(
            "Previews",
            ["CaptureModel", "ImageMetadata", "LibAV", "PosixSupport", "StorageKit", "TurboJPEG"]),
        module(
            "CaptureEngine",
            [
                "CaptureDevices", "CaptureModel", "DNG", "ExternalPrograms", "FaultPoints", "ImageMetadata", "LibRaw",
                "Movies", "PosixSupport", "ShotLogic", "Spool", "TurboJPEG", deque,
            ]),

        // Runtime.
        module(
            "AgentRuntime",
            [
                "CaptureModel", "CaptureDevices", "CaptureEngine", "ClockSync", "ExternalPrograms", "FaultPoints",
                "Journal", "Movies", "PosixSupport",
                "RigConfiguration", "RigProtocol", "RigWire", "Spool", "TurboJPEG", "ZeroMQ", lifecycle, logging,
            ]),
        module(
            "CoordinatorRuntime",
            [
                "CaptureModel", "CaptureSystem", "Catalogue", "FaultPoints", "FolderStore", "Journal", "PosixSupport",
                "Previews", "RigConfiguration", "RigProtocol", "RigWire", "ShotDocuments", "ShotLogic", "StorageKit",
                "ZeroMQ", deque, lifecycle, logging, orderedCollections,
            ]),
        module("RigClient", ["CaptureModel", "RigProtocol", "RigWire", "ShotDocuments", "ZeroMQ"]),
        module(
            "DaemonSupport",
            [
                "CaptureModel", "FaultPoints", "PosixSupport", "RigConfiguration", "ZeroMQ", argumentParser, lifecycle,
                logging,
                unixSignals,
            ]),
        module(
            "CapctlCommands",
            [
                "CaptureModel", "CaptureSystem", "Catalogue", "Export", "FolderStore", "Journal", "PosixSupport",
                "Previews", "RigClient", "RigConfiguration", "RigWire", "Spool", "StorageKit", "TimeCode", "TurboJPEG",
                "ZeroMQ", argumentParser, subprocess, systemPackage,
            ]),

        // Executables: thin mains.
        executable(
            "capagentd",
            [
                "AgentRuntime", "CaptureDevices", "CaptureModel", "CaptureSystem", "DaemonSupport", "FaultPoints",
                "RigConfiguration", argumentParser,
            ]),
        executable(
            "capcoordd",
            [
                "CaptureSystem", "CoordinatorRuntime", "DaemonSupport", "FaultPoints", "PosixSupport",
                "RigConfiguration", argumentParser,
            ]),
        executable("capctl", ["CapctlCommands"]),

        // Examples, which the system tests run.
        .executableTarget(
            name: "avcam",
            dependencies: [
                "CaptureDevices", "CaptureEngine", "CaptureModel", "CaptureSystem", "PosixSupport", "Spool",
                argumentParser,
            ],
            path: "Examples/AVCam", swiftSettings: strictSettings),

        // Beside.
        module("CaptureTestSupport", ["CaptureModel", "PosixSupport", "TimeCode", "ZeroMQ"]),
        .target(
            name: "CameraConformance", dependencies: ["CaptureDevices", "CaptureModel", "ImageMetadata"],
            path: "Tests/CameraConformance", swiftSettings: strictSettings),
        // What every store owes its users, run by the tests of each.
        testSupport("StorageConformance", in: "Storage", ["CaptureModel", "StorageKit", crypto]),
        // A store in memory that keeps the rules of S3, and loses answers.
        testSupport(
            "MemoryObjectStore", in: "Storage",
            ["CaptureModel", "PosixSupport", "ShotDocuments", "StorageKit", crypto]),
        .executableTarget(
            name: "v4l2-probe",
            dependencies: [
                "CameraConformance", "CaptureDevices", "CaptureEngine", "CaptureModel", "CaptureSystem", "PosixSupport",
            ],
            path: "Tests/DeviceLab/Probe", swiftSettings: strictSettings),
        .executableTarget(
            name: "alsa-probe", dependencies: ["CaptureDevices", "CaptureEngine", "CaptureModel", "CaptureSystem"],
            path: "Tests/DeviceLab/SoundProbe", swiftSettings: strictSettings),

        // Tests, from the bottom up.
        tests("PosixSupportTests", ["PosixSupport", "CaptureTestSupport"]),
        tests(
            "FaultPointsTests",
            [
                "AgentRuntime", "CaptureModel", "CaptureTestSupport", "CoordinatorRuntime", "FaultPoints",
                "PosixSupport",
            ]),
        tests("ExternalProgramsTests", ["ExternalPrograms", "CaptureTestSupport"]),
        tests("CaptureSystemTests", ["CaptureSystem", "CaptureModel", "CaptureTestSupport", "PosixSupport"]),
        tests("ALSATests", ["ALSA"]),
        tests("TurboJPEGTests", ["TurboJPEG"]),
        tests("Video4LinuxTests", ["Video4Linux", "CaptureDevices", "CaptureModel", "PosixSupport"]),
        tests("ZeroMQTests", ["ZeroMQ", "CZeroMQ"]),
        tests("ImageMetadataTests", ["ImageMetadata", "TurboJPEG", "CaptureTestSupport"]),
        tests("DNGTests", ["DNG", "ImageMetadata", "LibRaw", "TurboJPEG", "CaptureTestSupport"]),
        tests("LibAVTests", ["LibAV", "CaptureTestSupport", "PosixSupport"]),
        tests(
            "MoviesTests",
            [
                "Movies", "CaptureModel", "CaptureTestSupport", "ExternalPrograms", "ImageMetadata", "PosixSupport",
                "TurboJPEG",
            ]),
        tests("TimeCodeTests", ["TimeCode", "TurboJPEG", "CaptureTestSupport"]),
        tests("RigWireTests", ["RigWire", "RigProtocol", "CaptureModel", protobuf, "CaptureTestSupport"]),
        tests("RigConfigurationTests", ["RigConfiguration", "CaptureModel"]),
        tests(
            "CaptureDevicesTests",
            [
                "ALSA", "CameraConformance", "CaptureDevices", "CaptureModel", "CaptureSystem", "CaptureTestSupport",
                "PosixSupport", "TimeCode", "TurboJPEG",
            ]),
        tests("ClockSyncTests", ["ClockSync", "CaptureModel", "CaptureTestSupport"]),
        tests("ShotLogicTests", ["ShotLogic", "CaptureModel", "CaptureTestSupport"]),
        tests("JournalTests", ["CaptureModel", "CaptureTestSupport", "Journal", "PosixSupport"]),
        tests(
            "SpoolTests", ["Spool", "Journal", "PosixSupport", "CaptureModel", crypto, "CaptureTestSupport"],
            exclude: ["Documents"]),
        tests(
            "CatalogueTests",
            [
                "Catalogue", "CaptureModel", "CaptureSystem", "CaptureTestSupport", "FolderStore", "PosixSupport",
                "ShotDocuments", "StorageKit",
            ]),
        tests(
            "PreviewsTests",
            [
                "Previews", "CaptureModel", "CaptureTestSupport", "DNG", "FolderStore", "ImageMetadata", "Movies",
                "PosixSupport", "StorageKit", "TurboJPEG", crypto,
            ]),
        tests(
            "FolderStoreTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "FolderStore", "PosixSupport", "StorageConformance", "StorageKit",
            ]),
        tests(
            "ExportTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "Export", "FolderStore", "PosixSupport", "ShotDocuments",
                "StorageConformance", "StorageKit",
            ]),
        tests(
            "MemoryObjectStoreTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "MemoryObjectStore", "PosixSupport", "StorageConformance",
                "StorageKit",
            ]),
        tests(
            "CaptureEngineTests",
            [
                "CaptureEngine", "CaptureDevices", "CaptureModel", "CaptureTestSupport", "ImageMetadata", "Movies",
                "PosixSupport", "Spool", "TimeCode", "TurboJPEG",
            ]),
        tests(
            "AgentRuntimeTests",
            [
                "AgentRuntime", "CaptureDevices", "CaptureEngine", "CaptureModel", "CaptureSystem",
                "CaptureTestSupport", "ClockSync", "Journal", "PosixSupport",
                "RigConfiguration", "RigProtocol", "RigWire", "Spool", "ZeroMQ", logging,
            ]),
        tests(
            "CoordinatorRuntimeTests",
            [
                "CoordinatorRuntime", "CaptureModel", "CaptureSystem", "CaptureTestSupport", "Catalogue", "FolderStore",
                "Journal", "MemoryObjectStore", "PosixSupport", "RigConfiguration", "RigProtocol", "RigWire",
                "ShotLogic", "StorageKit", "ZeroMQ", crypto, logging,
            ]),
        tests(
            "RigClientTests",
            [
                "RigClient", "RigProtocol", "RigWire", "CaptureModel", "CaptureSystem", "ZeroMQ", "CaptureTestSupport",
                "ShotDocuments",
            ]),
        tests(
            "CapctlTests",
            [
                "CapctlCommands", "CaptureModel", "CaptureSystem", "CaptureTestSupport", "Journal", "PosixSupport",
                "Previews", "RigClient", "RigConfiguration",
                "RigProtocol", "RigWire", "ShotDocuments", "Spool", "TimeCode", argumentParser,
            ]),
        fuzzing,
        tests(
            "SystemTests",
            [
                "CaptureModel", "CaptureTestSupport", "FolderStore", "PosixSupport", "Spool", "StorageKit", "TimeCode",
                "TurboJPEG",
            ]),
    ]
)
