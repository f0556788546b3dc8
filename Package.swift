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
    // Programs that can do without keys, so that `make bench` can tell what keys cost.
    + (Context.environment["CAPRIG_WITHOUT_KEYS"] == nil ? [] : [.define("CAPRIG_WITHOUT_KEYS")])

/// Generated code keeps the generator's style.
let generatedSettings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

/// - Parameter layer: The folder of `Sources` that the module's own is in.
func module(_ name: String, in layer: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: strictSettings)
}

func executable(_ name: String, in layer: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: strictSettings)
}

/// Tests are not optimized where what they test is: that takes time and gains none, and Swift 6.3's optimizer crashes on some.
/// Their modules are emitted with their code and not before it: no other module waits for them, and it saves some time.
let testSettings =
    strictSettings
    + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// - Parameter layer: The folder of `Tests` that the target's own is in; nil for `Tests` itself.
func tests(
    _ name: String, in layer: String? = nil, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: layer.map { "Tests/\($0)/\(name)" }, exclude: exclude,
        swiftSettings: testSettings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let orderedCollections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(
    name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"]))
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
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
    "AgentChannels", "CameraKit", "CameraSettings", "CapctlCommands", "CaptureBackends", "CaptureEngine",
    "CaptureModel", "CaptureTestSupport", "Catalogue", "ClientContexts", "ClockSync", "CoordinatorChannels", "Export",
    "FileCamera", "FolderStore", "ImageMetadata", "Journal", "KeyFiles", "Movies", "NodeCore", "PosixSupport",
    "Previews", "RigClient", "RigConfiguration", "RigCore", "RigDocuments", "RigProtocol", "RigSecurity", "RigWire",
    "ShotDocuments", "ShotLogic", "Spool", "StorageKit", "TimeCode", "TurboJPEG", "V4L2Camera", "Video4Linux", "ZeroMQ",
    argumentParser, protobuf,
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
                "ALSAMicrophone", "CameraKit", "CameraSettings", "CaptureEngine", "CaptureModel", "FaultPoints",
                "FileCamera", "Movies", "PosixSupport", "Recording", "Sound", "Spool", "SystemClock", "V4L2Camera",
                "VirtualDevices",
            ]),
    ],
    traits: [.trait(name: "TLS", description: "TLS in capwebd. Its BoringSSL takes long to compile.")],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // C: what Swift cannot import by itself: macros, variadics, ioctls, pixel loops.
        .target(name: "CALSA", path: "Sources/C/CALSA"),
        .target(name: "CDNG", path: "Sources/C/CDNG"),
        .target(name: "CLibAV", path: "Sources/C/CLibAV"),
        .target(name: "CLibRaw", path: "Sources/C/CLibRaw"),
        .target(name: "CMosquitto", path: "Sources/C/CMosquitto"),
        .target(name: "COpenSSL", path: "Sources/C/COpenSSL"),
        .target(name: "CPosix", path: "Sources/C/CPosix"),
        .target(name: "CSQLite", path: "Sources/C/CSQLite"),
        .target(name: "CTurboJPEG", path: "Sources/C/CTurboJPEG"),
        .target(name: "CVideo4Linux", path: "Sources/C/CVideo4Linux"),
        .target(name: "CZeroMQ", path: "Sources/C/CZeroMQ", linkerSettings: libzmq),

        // Wrappers of libraries and of the system; they know no word of the domain.
        // Files that stay, descriptors, named threads, executors, errors with advice.
        module("PosixSupport", in: "Wrappers", ["CPosix"]),
        // Capture devices of libasound.
        module("ALSA", in: "Wrappers", ["CALSA"]),
        // Databases of libsqlite3: connections, statements, transactions.
        module("SQLite", in: "Wrappers", ["CSQLite"]),
        // SHA-256, scrypt, ChaCha20-Poly1305, EC keys and certificates of libcrypto.
        module("OpenSSL", in: "Wrappers", ["COpenSSL"]),
        // Encodes, decodes and scales JPEG images.
        module("TurboJPEG", in: "Wrappers", ["CTurboJPEG"]),
        // Devices, formats, buffers and controls of V4L2.
        module("Video4Linux", in: "Wrappers", ["CVideo4Linux"]),
        // libzmq for Swift concurrency.
        module("ZeroMQ", in: "Wrappers", ["CZeroMQ", "PosixSupport", deque]),
        // One connection to an MQTT broker, with libmosquitto.
        module("Mosquitto", in: "Wrappers", ["CMosquitto", "PosixSupport", deque]),
        // Writes, reads and copies movies with FFmpeg's libraries.
        module("LibAV", in: "Wrappers", ["CLibAV", "PosixSupport"]),

        // Model: values and their rules, without protobuf, sockets and threads of their own.
        // Identities, times, devices, settings, shots and events.
        module("CaptureModel", in: "Model"),
        // The clocks of this machine, and the name of the one that processes share.
        module("SystemClock", in: "Model", ["CaptureModel", "CPosix", "PosixSupport"]),
        // Keys, roles and join codes.
        module("RigSecurity", in: "Model", ["CaptureModel", "OpenSSL"]),
        // The YAML files of the daemons, to values and back.
        module("RigConfiguration", in: "Model", ["CaptureModel", "RigSecurity", yams]),
        // Settings of cameras with units, and the controls of V4L2 behind them.
        .target(
            name: "CameraSettings", dependencies: ["CaptureModel", "RigConfiguration"],
            path: "Sources/Model/CameraSettings",
            resources: [.embedInCode("Peculiarities/Cameras/caprig-virtual.yaml")], swiftSettings: strictSettings),

        // Beside the layers: places at which tests make programs fail.
        // Makes a program fail at a named place.
        module("FaultPoints", in: "Beside", ["CaptureModel", "CPosix", "PosixSupport"]),

        // Formats of pictures, movies and time code.
        // Time code in pixels, marks in sound.
        module("TimeCode", in: "Formats"),
        // The structure of JPEG files, EXIF, XMP and maker notes.
        module("ImageMetadata", in: "Formats", ["CPosix"]),
        // A sensor's mosaic: unpacked, packed, as a DNG file.
        module("DNG", in: "Formats", ["CDNG", "CLibRaw", "ImageMetadata"]),
        // Live Photo movies, motion photos, and recordings that survive a crash.
        module(
            "Movies", in: "Formats",
            [
                "CaptureModel", "FaultPoints", "ImageMetadata", "LibAV", "PosixSupport", subprocess, systemPackage,
            ]),

        // Wire: messages and their bytes.
        // Code that protoc generates from proto/.
        .target(
            name: "RigProtocol", dependencies: [protobuf], path: "Sources/Wire/RigProtocol",
            swiftSettings: generatedSettings),
        // Between messages and values, each field checked.
        module("RigWire", in: "Wire", ["CaptureModel", "RigProtocol", "RigSecurity", protobuf]),

        // Storage: what is durable.
        // Shots, takes and what they consist of as JSON documents.
        module("ShotDocuments", in: "Storage", ["CaptureModel", "OpenSSL", "PosixSupport"]),
        // Key pairs and other private files: created, checked, replaced.
        module("KeyFiles", in: "Storage", ["OpenSSL", "PosixSupport", "ZeroMQ"]),
        // What a store of shots and their files owes its users; no I/O.
        module("StorageKit", in: "Storage", ["CaptureModel", "PosixSupport", "ShotDocuments"]),
        // A store that is a tree of folders on a local disk.
        module(
            "FolderStore", in: "Storage",
            [
                "CaptureModel", "FaultPoints", "OpenSSL", "PosixSupport", "ShotDocuments", "StorageKit",
            ]),
        // Captures on a node until they are collected.
        module(
            "Spool", in: "Storage",
            [
                "CaptureModel", "FaultPoints", "OpenSSL", "PosixSupport", "ShotDocuments",
            ]),
        // A bounded journal of numbered events.
        module("Journal", in: "Storage", ["CaptureModel", "FaultPoints", "PosixSupport", deque]),
        // A bounded, hash-chained log of what concerns security.
        module("AuditLog", in: "Storage", ["CaptureModel", "FaultPoints", "OpenSSL", "PosixSupport", deque]),
        // Finds shots: an index beside the manifests.
        module("Catalogue", in: "Storage", ["CaptureModel", "PosixSupport", "SQLite", "StorageKit"]),
        // Small pictures of what a store has.
        module(
            "Previews", in: "Storage",
            [
                "CaptureModel", "ImageMetadata", "LibAV", "PosixSupport", "StorageKit", "TurboJPEG",
            ]),
        // Puts shots of a store into a folder or an archive, as other programs want them.
        module("Export", in: "Storage", ["CaptureModel", "OpenSSL", "PosixSupport", "ShotDocuments", "StorageKit"]),

        // Backends: cameras and microphones, one module each.
        // What a camera, a microphone and a backend owe the rig.
        module("CameraKit", in: "Backends", ["CaptureModel", "DNG", "PosixSupport", "RigConfiguration"]),
        // Cameras and microphones that are computed.
        module(
            "VirtualDevices", in: "Backends",
            [
                "CameraKit", "CaptureModel", "DNG", "PosixSupport", "RigConfiguration", "TimeCode", "TurboJPEG",
            ]),
        // A camera that plays recorded images.
        module(
            "FileCamera", in: "Backends",
            [
                "CameraKit", "CaptureModel", "ImageMetadata", "PosixSupport", "RigConfiguration",
            ]),
        // Cameras of V4L2.
        module(
            "V4L2Camera", in: "Backends",
            [
                "CameraKit", "CaptureModel", "PosixSupport", "RigConfiguration", "Video4Linux",
            ]),
        // Microphones of ALSA.
        module(
            "ALSAMicrophone", in: "Backends",
            [
                "ALSA", "CameraKit", "CaptureModel", "PosixSupport", "RigConfiguration",
            ]),
        // The list of backends.
        module(
            "CaptureBackends", in: "Backends",
            [
                "ALSAMicrophone", "CameraKit", "FileCamera", "V4L2Camera", "VirtualDevices",
            ]),

        // Capture: one node's sessions, outputs and rings.
        // One microphone's session, ring and clips.
        module("Sound", in: "Capture", ["CameraKit", "CaptureModel", "Movies", "PosixSupport", deque]),
        // Records a camera into movie files.
        module(
            "Recording", in: "Capture",
            [
                "CaptureModel", "FaultPoints", "ImageMetadata", "Movies", "PosixSupport", "Sound", "Spool",
            ]),
        // One camera's session and its outputs.
        module(
            "CaptureEngine", in: "Capture",
            [
                "CameraKit", "CameraSettings", "CaptureModel", "DNG", "FaultPoints", "ImageMetadata", "LibAV", "Movies",
                "PosixSupport", "Recording", "Sound", "Spool", "TurboJPEG", deque,
            ]),

        // Core: decisions; no protobuf, no sockets.
        // Estimates rig time from probes.
        module("ClockSync", in: "Core", ["CaptureModel", "PosixSupport"]),
        // Whose keys are admitted, and to what.
        module("RigAccess", in: "Core", ["CaptureModel", "PosixSupport", "RigSecurity", "StorageKit", deque]),
        // The state machine of a shot, and the planner of T.
        module("ShotLogic", in: "Core", ["CaptureModel"]),
        // What an agent decides and keeps.
        module(
            "NodeCore", in: "Core",
            [
                "CameraKit", "CaptureEngine", "CaptureModel", "ClockSync", "FaultPoints", "Journal", "Movies",
                "PosixSupport", "Recording", "RigConfiguration", "RigSecurity", "Sound", "Spool", logging,
            ]),
        // What the coordinator decides and keeps.
        module(
            "RigCore", in: "Core",
            [
                "CaptureModel", "Catalogue", "FaultPoints", "Journal", "PosixSupport", "Previews", "RigConfiguration",
                "RigAccess", "RigSecurity", "ShotDocuments", "ShotLogic", "StorageKit", deque, logging,
                orderedCollections,
            ]),

        // Channels: adapters that decode, call and encode.
        // Which keys may connect, and whose a message is.
        module(
            "ChannelSecurity", in: "Channels",
            ["CaptureModel", "FaultPoints", "PosixSupport", "RigAccess", "RigSecurity", "ZeroMQ", logging]),
        // An agent's ends of the channels.
        module(
            "AgentChannels", in: "Channels",
            [
                "CameraKit", "CaptureEngine", "CaptureModel", "ChannelSecurity", "ClockSync", "FaultPoints", "Journal",
                "KeyFiles", "Movies", "NodeCore", "PosixSupport", "Recording", "RigAccess", "RigConfiguration",
                "RigProtocol", "RigSecurity", "RigWire", "Sound", "Spool", "TurboJPEG", "ZeroMQ", lifecycle, logging,
            ]),
        // The coordinator's ends of the channels.
        module(
            "CoordinatorChannels", in: "Channels",
            [
                "AuditLog", "CaptureModel", "Catalogue", "ChannelSecurity", "FaultPoints", "FolderStore", "Journal",
                "KeyFiles", "PosixSupport", "Previews", "RigAccess", "RigConfiguration", "RigCore", "RigProtocol",
                "RigSecurity", "RigWire", "ShotDocuments", "ShotLogic", "StorageKit", "SystemClock", "ZeroMQ", deque,
                lifecycle,
                logging, protobuf,
            ]),

        // Client: a program's side of the rig, from any machine.
        // The client channel, the feed and the frames; every wait ends.
        module(
            "RigClient", in: "Client",
            [
                "CaptureModel", "OpenSSL", "PosixSupport", "RigConfiguration", "RigProtocol", "RigSecurity", "RigWire",
                "ShotDocuments",
                "ZeroMQ",
            ]),
        // Matches and locks the pictures of cameras, by measuring them and setting them.
        module(
            "RigMatching", in: "Client",
            ["CameraSettings", "CaptureModel", "PosixSupport", "RigClient", "SystemClock"]),

        // Interfaces: what people and scripts see.
        // What programs share: signals, logging, exit codes, whether a host has an address.
        module(
            "DaemonSupport", in: "Interfaces",
            [
                "CaptureModel", "FaultPoints", "PosixSupport", "RigConfiguration", "ZeroMQ", argumentParser, lifecycle,
                logging, unixSignals,
            ]),
        // The rigs that a person uses, and which of them a command is for.
        module(
            "ClientContexts", in: "Interfaces", ["KeyFiles", "PosixSupport", "RigClient", "RigConfiguration", "ZeroMQ"]),
        // Joins a rig, with a code or by approval: for a node, and for a person.
        module(
            "RigJoining", in: "Interfaces",
            [
                "CaptureModel", "KeyFiles", "PosixSupport", "RigClient", "RigConfiguration", "RigSecurity", "RigWire",
                "SystemClock", "ZeroMQ", argumentParser, subprocess, systemPackage,
            ]),
        // The JSON documents of a rig that users see, each defined once.
        module(
            "RigDocuments", in: "Interfaces",
            [
                "AuditLog", "CameraSettings", "CaptureModel", "PosixSupport", "RigClient", "RigMatching", "RigSecurity",
                "RigWire", "ShotDocuments",
            ]),
        // The library of a coordinator as a store that an export reads.
        module("RigLibrary", in: "Interfaces", ["CaptureModel", "RigClient", "ShotDocuments", "StorageKit"]),
        // A gateway between browsers or scripts and a rig: page, HTTP API, WebSocket.
        .target(
            name: "WebGateway",
            dependencies: [
                "AuditLog", "CaptureModel", "ClientContexts", "Export", "KeyFiles", "Mosquitto", "Movies",
                "OpenSSL", "PosixSupport", "RigClient", "RigConfiguration", "RigDocuments", "RigLibrary", "RigMatching",
                "RigSecurity",
                "RigWire", "ShotDocuments", "ZeroMQ", httpTypes, hummingbird, hummingbirdCore, lifecycle,
                logging, nioCore, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL,
                nioWebSocket,
            ], path: "Sources/Interfaces/WebGateway", resources: [.copy("Page")], swiftSettings: strictSettings),
        // One file for each subcommand of capctl.
        module(
            "CapctlCommands", in: "Interfaces",
            [
                "AuditLog", "CameraSettings", "CaptureModel", "Catalogue", "ClientContexts", "DaemonSupport", "Export",
                "FolderStore", "Journal", "KeyFiles", "PosixSupport", "Previews", "RigClient", "RigConfiguration",
                "RigDocuments", "RigJoining", "RigLibrary", "RigMatching", "RigSecurity", "RigWire", "ShotDocuments",
                "Spool", "StorageKit", "SystemClock", "TimeCode", "TurboJPEG", "VirtualDevices", "ZeroMQ",
                argumentParser,
                subprocess, systemPackage,
            ]),

        // Programs: thin mains.
        executable(
            "capagentd", in: "Programs",
            [
                "AgentChannels", "CameraKit", "CaptureBackends", "CaptureModel", "DaemonSupport", "FaultPoints",
                "KeyFiles", "NodeCore", "PosixSupport", "RigConfiguration", "RigJoining", "RigSecurity", "SystemClock",
                "VirtualDevices", argumentParser,
            ]),
        executable(
            "capcoordd", in: "Programs",
            [
                "CaptureModel", "CoordinatorChannels", "DaemonSupport", "FaultPoints", "KeyFiles", "PosixSupport",
                "RigConfiguration", "RigSecurity", "SystemClock", argumentParser, logging,
            ]),
        executable("capctl", in: "Programs", ["CapctlCommands"]),
        executable(
            "capwebd", in: "Programs",
            [
                "CaptureModel", "ClientContexts", "DaemonSupport", "FaultPoints", "KeyFiles", "RigConfiguration",
                "RigSecurity", "SystemClock", "WebGateway", argumentParser,
            ]),

        // Examples, which the system tests run.
        .executableTarget(
            name: "avcam",
            dependencies: [
                "ALSAMicrophone", "CameraKit", "CaptureEngine", "CaptureModel", "PosixSupport", "Recording", "Sound",
                "Spool", "SystemClock", "V4L2Camera", "VirtualDevices", argumentParser,
            ], path: "Examples/AVCam", swiftSettings: strictSettings),

        // Support of tests: no product may depend on it.
        .target(
            name: "CaptureTestSupport",
            dependencies: [
                "CaptureModel", "PosixSupport", "TimeCode", "ZeroMQ", logging,
            ], path: "Tests/Support/CaptureTestSupport", swiftSettings: strictSettings),
        .target(
            name: "CameraConformance",
            dependencies: [
                "CameraKit", "CaptureModel", "ImageMetadata",
            ], path: "Tests/Backends/CameraConformance", swiftSettings: strictSettings),
        .target(
            name: "StorageConformance",
            dependencies: [
                "CaptureModel", "OpenSSL", "ShotDocuments", "StorageKit",
            ], path: "Tests/Storage/StorageConformance", swiftSettings: strictSettings),
        .target(
            name: "MemoryObjectStore",
            dependencies: [
                "CaptureModel", "OpenSSL", "PosixSupport", "ShotDocuments", "StorageKit",
            ], path: "Tests/Storage/MemoryObjectStore", swiftSettings: strictSettings),
        .target(
            name: "RigTestSupport",
            dependencies: [
                "CaptureModel", "CaptureTestSupport", "OpenSSL", "PosixSupport", "RigAccess", "StorageKit",
            ], path: "Tests/Core/RigTestSupport", swiftSettings: strictSettings),
        .executableTarget(
            name: "v4l2-probe",
            dependencies: [
                "CameraConformance", "CameraKit", "CaptureEngine", "CaptureModel", "PosixSupport", "SystemClock",
                "V4L2Camera",
            ], path: "Tests/DeviceLab/Probe", swiftSettings: strictSettings),
        .executableTarget(
            name: "alsa-probe",
            dependencies: [
                "ALSAMicrophone", "CameraKit", "CaptureEngine", "CaptureModel", "Sound", "SystemClock",
            ], path: "Tests/DeviceLab/SoundProbe", swiftSettings: strictSettings),

        // Tests, in the order of what they test.
        tests("PosixSupportTests", in: "Wrappers", ["CaptureTestSupport", "PosixSupport"]),
        tests("ALSATests", in: "Wrappers", ["ALSA"]),
        tests("MosquittoTests", in: "Wrappers", ["Mosquitto"]),
        tests("SQLiteTests", in: "Wrappers", ["CaptureTestSupport", "SQLite"]),
        tests("OpenSSLTests", in: "Wrappers", ["CaptureTestSupport", "OpenSSL", "PosixSupport"]),
        tests("TurboJPEGTests", in: "Wrappers", ["TurboJPEG"]),
        tests("Video4LinuxTests", in: "Wrappers", ["CaptureModel", "Video4Linux"]),
        tests("ZeroMQTests", in: "Wrappers", ["CZeroMQ", "ZeroMQ"]),
        tests("LibAVTests", in: "Wrappers", ["CaptureTestSupport", "LibAV", "PosixSupport"]),
        tests("SystemClockTests", in: "Model", ["CaptureModel", "PosixSupport", "SystemClock"]),
        tests(
            "RigConfigurationTests", in: "Model",
            [
                "ALSAMicrophone", "CameraKit", "CaptureBackends", "CaptureModel", "FileCamera", "RigConfiguration",
                "V4L2Camera", "VirtualDevices",
            ]),
        tests("RigSecurityTests", in: "Model", ["CaptureModel", "RigSecurity"]),
        tests(
            "CameraSettingsTests", in: "Model",
            ["CameraKit", "CameraSettings", "CaptureModel", "RigConfiguration", "VirtualDevices"]),
        tests(
            "FaultPointsTests", in: "Beside",
            [
                "AgentChannels", "CaptureModel", "CaptureTestSupport", "CoordinatorChannels", "FaultPoints",
                "PosixSupport",
            ]),
        tests("TimeCodeTests", in: "Formats", ["CaptureTestSupport", "TimeCode", "TurboJPEG"]),
        tests("ImageMetadataTests", in: "Formats", ["CaptureTestSupport", "ImageMetadata", "TurboJPEG"]),
        tests("DNGTests", in: "Formats", ["CaptureTestSupport", "DNG", "ImageMetadata", "TurboJPEG"]),
        tests(
            "MoviesTests", in: "Formats",
            [
                "CaptureModel", "CaptureTestSupport", "ImageMetadata", "Movies", "PosixSupport", "TurboJPEG",
            ]),
        tests("RigWireTests", in: "Wire", ["CaptureModel", "CaptureTestSupport", "RigProtocol", "RigWire", protobuf]),
        tests(
            "ShotDocumentsTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "ShotDocuments",
            ], exclude: ["Manifests"]),
        tests(
            "KeyFilesTests", in: "Storage", ["CaptureTestSupport", "KeyFiles", "PosixSupport", "ZeroMQ"],
            exclude: ["Exports"]),
        tests(
            "FolderStoreTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "FolderStore", "PosixSupport", "StorageConformance",
                "StorageKit",
            ]),
        tests(
            "SpoolTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "Journal", "OpenSSL", "PosixSupport", "Spool",
            ], exclude: ["Documents"]),
        tests("JournalTests", in: "Storage", ["CaptureModel", "CaptureTestSupport", "Journal", "PosixSupport"]),
        tests("AuditLogTests", in: "Storage", ["AuditLog", "CaptureModel", "CaptureTestSupport", "PosixSupport"]),
        tests(
            "CatalogueTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "Catalogue", "FolderStore", "PosixSupport", "ShotDocuments",
                "StorageKit", "SystemClock",
            ], exclude: ["Indexes"]),
        tests(
            "PreviewsTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "DNG", "FolderStore", "ImageMetadata", "Movies", "OpenSSL",
                "PosixSupport", "Previews", "StorageKit", "TurboJPEG",
            ]),
        tests(
            "ExportTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "Export", "FolderStore", "PosixSupport", "ShotDocuments",
                "StorageConformance", "StorageKit",
            ]),
        tests("CameraKitTests", in: "Backends", ["CameraKit", "PosixSupport"]),
        tests(
            "VirtualDevicesTests", in: "Backends",
            [
                "CameraConformance", "CameraKit", "CameraSettings", "CaptureModel", "CaptureTestSupport",
                "PosixSupport", "SystemClock", "TimeCode", "TurboJPEG", "VirtualDevices",
            ]),
        tests(
            "FileCameraTests", in: "Backends",
            [
                "CameraConformance", "CameraKit", "CaptureModel", "CaptureTestSupport", "FileCamera", "PosixSupport",
                "SystemClock", "TurboJPEG",
            ]),
        tests(
            "V4L2CameraTests", in: "Backends",
            [
                "CameraKit", "CaptureModel", "PosixSupport", "V4L2Camera", "Video4Linux",
            ]),
        tests(
            "ALSAMicrophoneTests", in: "Backends",
            [
                "ALSA", "ALSAMicrophone", "CameraKit", "CaptureModel", "CaptureTestSupport", "PosixSupport",
                "SystemClock",
            ]),
        tests(
            "CaptureBackendsTests", in: "Backends",
            [
                "CameraKit", "CaptureBackends", "CaptureModel", "RigConfiguration",
            ]),
        tests(
            "SoundTests", in: "Capture",
            [
                "CameraKit", "CaptureModel", "CaptureTestSupport", "Sound", "VirtualDevices",
            ]),
        tests(
            "RecordingTests", in: "Capture",
            [
                "CaptureModel", "CaptureTestSupport", "Movies", "PosixSupport", "Recording", "Spool",
            ]),
        tests(
            "CaptureEngineTests", in: "Capture",
            [
                "CameraKit", "CameraSettings", "CaptureEngine", "CaptureModel", "CaptureTestSupport", "ImageMetadata",
                "Movies", "PosixSupport", "Recording", "Sound", "Spool", "TimeCode", "TurboJPEG", "VirtualDevices",
            ]),
        tests("ClockSyncTests", in: "Core", ["CaptureModel", "CaptureTestSupport", "ClockSync"]),
        tests(
            "RigAccessTests", in: "Core",
            ["CaptureModel", "CaptureTestSupport", "RigAccess", "RigSecurity", "RigTestSupport", "StorageKit"]),
        tests("ShotLogicTests", in: "Core", ["CaptureModel", "CaptureTestSupport", "ShotLogic"]),
        tests(
            "NodeCoreTests", in: "Core",
            [
                "ALSAMicrophone", "CameraKit", "CaptureBackends", "CaptureEngine", "CaptureModel", "CaptureTestSupport",
                "ClockSync", "Journal", "NodeCore", "PosixSupport", "RigConfiguration", "Sound", "Spool", "SystemClock",
                "V4L2Camera", "VirtualDevices", logging,
            ]),
        tests(
            "RigCoreTests", in: "Core",
            [
                "CaptureModel", "CaptureTestSupport", "Catalogue", "FolderStore", "Journal", "MemoryObjectStore",
                "PosixSupport", "Previews", "RigAccess", "RigConfiguration", "RigCore", "RigProtocol", "RigSecurity",
                "RigTestSupport", "RigWire", "ShotDocuments", "ShotLogic", "StorageKit", "SystemClock", logging,
            ]),
        tests(
            "ChannelSecurityTests", in: "Channels",
            ["CaptureModel", "ChannelSecurity", "PosixSupport", "RigAccess", "RigSecurity", "SystemClock", "ZeroMQ"]),
        tests(
            "AgentChannelsTests", in: "Channels",
            [
                "AgentChannels", "CameraKit", "CaptureEngine", "CaptureModel", "CaptureTestSupport", "Journal",
                "NodeCore", "PosixSupport", "RigAccess", "RigConfiguration", "RigProtocol", "RigSecurity", "RigWire",
                "Spool",
                "SystemClock", "VirtualDevices", "ZeroMQ", logging,
            ]),
        tests(
            "CoordinatorChannelsTests", in: "Channels",
            [
                "AuditLog", "CaptureModel", "CaptureTestSupport", "Catalogue", "ChannelSecurity", "CoordinatorChannels",
                "FolderStore", "Journal", "KeyFiles", "PosixSupport", "RigAccess", "RigClient", "RigConfiguration",
                "RigCore", "RigProtocol", "RigSecurity", "RigTestSupport", "RigWire", "ShotDocuments", "StorageKit",
                "SystemClock", "ZeroMQ", logging,
            ]),
        tests(
            "RigClientTests", in: "Client",
            [
                "CaptureModel", "CaptureTestSupport", "RigClient", "RigProtocol", "RigSecurity", "RigWire",
                "ShotDocuments", "SystemClock", "ZeroMQ",
            ]),
        tests(
            "RigMatchingTests", in: "Client",
            ["CameraSettings", "CaptureModel", "CaptureTestSupport", "PosixSupport", "RigMatching"]),
        tests(
            "RigJoiningTests", in: "Interfaces", ["RigJoining", "RigSecurity", "ZeroMQ", argumentParser]),
        tests(
            "WebGatewayTests", in: "Interfaces",
            [
                "AuditLog", "CameraSettings", "CaptureModel", "CaptureTestSupport", "KeyFiles", "Mosquitto",
                "PosixSupport",
                "RigClient", "RigDocuments", "RigMatching", "RigProtocol", "RigSecurity", "RigTestSupport", "RigWire",
                "WebGateway", "ZeroMQ", logging, nioCore,
            ]),
        tests(
            "DaemonSupportTests", in: "Interfaces",
            [
                "CaptureTestSupport", "DaemonSupport", "PosixSupport", "SystemClock",
            ]),
        tests(
            "ClientContextsTests", in: "Interfaces",
            [
                "CaptureTestSupport", "ClientContexts", "KeyFiles", "PosixSupport", "RigConfiguration", "ZeroMQ",
            ]),
        tests(
            "RigDocumentsTests", in: "Interfaces",
            [
                "AuditLog", "CaptureModel", "CaptureTestSupport", "PosixSupport", "RigClient", "RigDocuments",
                "RigSecurity", "ShotDocuments", "SystemClock",
            ]),
        tests(
            "CapctlCommandsTests", in: "Interfaces",
            [
                "AuditLog", "CameraKit", "CameraSettings", "CapctlCommands", "CaptureBackends", "CaptureModel",
                "CaptureTestSupport", "Journal", "PosixSupport", "Previews", "RigClient", "RigConfiguration",
                "RigDocuments", "RigMatching", "RigProtocol",
                "RigWire", "ShotDocuments", "Spool", "SystemClock", "TimeCode", "VirtualDevices", argumentParser,
            ]),
        tests(
            "CameraConformanceTests", in: "Backends",
            [
                "CameraConformance", "CameraKit", "CaptureModel", "CaptureTestSupport", "PosixSupport", "SystemClock",
                "VirtualDevices",
            ]),
        tests(
            "MemoryObjectStoreTests", in: "Storage",
            [
                "CaptureModel", "CaptureTestSupport", "MemoryObjectStore", "PosixSupport", "StorageConformance",
                "StorageKit",
            ]),
        fuzzing,
        tests(
            "SystemTests",
            [
                "CaptureModel", "CaptureTestSupport", "FolderStore", "PosixSupport", "ShotDocuments", "Spool",
                "StorageKit", "TimeCode", "TurboJPEG",
            ]),
    ]
)
