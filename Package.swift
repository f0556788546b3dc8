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

/// `make` compiles tests without debug information, which saves a sixth of their time.
let testSettings =
    strictSettings
    + (Context.environment["CAPRIG_TESTS_WITHOUT_DEBUG_INFO"] == nil ? [] : [.unsafeFlags(["-gnone"])])

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
    "CameraKit", "CameraSettings", "CapctlCommands", "CaptureBackends", "CaptureEngine",
    "CaptureModel", "CaptureTestSupport", "Catalogue", "ClientContexts", "ClockSync", "ControlMessages",
    "CoordinatorChannels",
    "Export",
    "FileCamera", "FolderStore", "ImageMetadata", "Journal", "KeyFiles", "Movies", "NodeCore", "PosixSupport",
    "Previews", "RigClient", "RigConfiguration", "RigCore", "RigDocuments", "RigProtocol", "RigSecurity", "RigWire",
    "ShotDocuments", "ShotLogic", "Spool", "StorageKit", "StrictJSON", "TimeCode", "TurboJPEG", "V4L2Camera",
    "Video4Linux", "ZeroMQ",
    argumentParser, protobuf,
]

/// Programs, modules, the example and the support of tests, in the order of their layers.
let modules: [Target] = [
    // C: what Swift cannot import by itself: macros, variadics, ioctls, pixel loops.
    .target(name: "CALSA", path: "Sources/C/CALSA"),
    .target(name: "CDNG", path: "Sources/C/CDNG"),
    .target(name: "CLibAV", path: "Sources/C/CLibAV"),
    .target(name: "CLibRaw", path: "Sources/C/CLibRaw"),
    .target(name: "CMosquitto", path: "Sources/C/CMosquitto"),
    .target(name: "COpenSSL", path: "Sources/C/COpenSSL"),
    .target(name: "CPosix", path: "Sources/C/CPosix"),
    .target(name: "CSQLite", path: "Sources/C/CSQLite"),
    .target(name: "CSpawn", path: "Sources/C/CSpawn"),
    .target(name: "CTurboJPEG", path: "Sources/C/CTurboJPEG"),
    .target(name: "CVideo4Linux", path: "Sources/C/CVideo4Linux"),
    .target(name: "CZeroMQ", path: "Sources/C/CZeroMQ", linkerSettings: libzmq),

    // Wrappers of libraries and of the system; they know no word of the domain.
    // Files that stay, descriptors, named threads, executors, errors with advice.
    module("PosixSupport", in: "Wrappers", ["CPosix"]),
    // Files with a secret.
    module("PrivateFiles", in: "Wrappers", ["PosixSupport"]),
    // Programs that this process starts, reads and ends.
    module("ChildPrograms", in: "Wrappers", ["CSpawn", "PosixSupport"]),
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
    // Requests as JSON: read strictly from bytes that nobody trusts.
    module("StrictJSON", in: "Model", ["CaptureModel"]),
    // The clocks of this machine, the name of the one that processes share, and how PTP or NTP keeps it.
    module("SystemClock", in: "Model", ["CaptureModel", "ChildPrograms", "CPosix", "PosixSupport"]),
    // Keys, roles and join codes.
    module("RigSecurity", in: "Model", ["CaptureModel", "OpenSSL"]),
    // What coordinator and nodes tell each other on the control channel.
    module("ControlMessages", in: "Model", ["CaptureModel", "RigSecurity"]),
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
    // When a screen switches, and what pictures of it tell of a camera's stamps.
    module("ScreenTiming", in: "Formats", ["CaptureModel"]),
    // Text as a QR code.
    module("QRCodes", in: "Formats"),
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
    module(
        "RigWire", in: "Wire",
        ["CaptureModel", "ControlMessages", "RigProtocol", "RigSecurity", "StrictJSON", protobuf]),

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
    module(
        "CameraKit", in: "Backends",
        ["CaptureModel", "ChildPrograms", "DNG", "PosixSupport", "RigConfiguration", logging]),
    // What cameras that are a program's output share.
    module(
        "ProgramCamera", in: "Backends",
        [
            "CameraKit", "CaptureModel", "ChildPrograms", "ImageMetadata", "PosixSupport", "SystemClock", logging,
        ]),
    // Cameras and microphones that are computed.
    module(
        "VirtualDevices", in: "Backends",
        [
            "CameraKit", "CaptureModel", "DNG", "PosixSupport", "RigConfiguration", "ScreenTiming", "TimeCode",
            "TurboJPEG",
        ]),
    // A camera that plays recorded images.
    module(
        "FileCamera", in: "Backends",
        [
            "CameraKit", "CaptureModel", "ImageMetadata", "PosixSupport", "RigConfiguration",
        ]),
    // A camera that a configuration names by its program.
    module(
        "CommandCamera", in: "Backends",
        ["CameraKit", "CaptureModel", "PosixSupport", "ProgramCamera", "RigConfiguration"]),
    // Network cameras.
    module(
        "RTSPCamera", in: "Backends",
        [
            "CameraKit", "CaptureModel", "ImageMetadata", "LibAV", "PrivateFiles", "RigConfiguration", "SystemClock",
            logging,
        ]),
    // Cameras that libgphoto2 drives, in a helper process each.
    module(
        "GPhotoCamera", in: "Backends",
        [
            "CameraKit", "CaptureModel", "ChildPrograms", "PosixSupport", "RigConfiguration", logging,
        ]),
    // Cameras of GigE Vision and USB3 Vision, which Aravis drives in a helper process each.
    module(
        "AravisCamera", in: "Backends",
        ["CameraKit", "CaptureModel", "PosixSupport", "ProgramCamera", "RigConfiguration"]),
    // Cameras of V4L2.
    module(
        "V4L2Camera", in: "Backends",
        [
            "CameraKit", "CaptureModel", "PosixSupport", "RigConfiguration", "Video4Linux", logging,
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
            "ALSAMicrophone", "AravisCamera", "CameraKit", "CommandCamera", "FileCamera", "GPhotoCamera", "RTSPCamera",
            "V4L2Camera", "VirtualDevices",
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
            "CameraKit", "CaptureEngine", "CaptureModel", "ClockSync", "ControlMessages", "FaultPoints", "Journal",
            "Movies", "PosixSupport", "Recording", "RigConfiguration", "Sound", "Spool", logging,
        ]),
    // What the coordinator decides and keeps.
    module(
        "RigCore", in: "Core",
        [
            "CameraSettings", "CaptureModel", "Catalogue", "ControlMessages", "FaultPoints", "Journal", "PosixSupport",
            "Previews", "RigConfiguration", "RigAccess", "RigSecurity", "ShotDocuments", "ShotLogic", "StorageKit",
            deque, logging,
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
            "CameraKit", "CaptureEngine", "CaptureModel", "ChannelSecurity", "ClockSync", "ControlMessages",
            "FaultPoints", "Journal", "KeyFiles", "Movies", "NodeCore", "PosixSupport", "Recording", "RigAccess",
            "RigConfiguration",
            "RigProtocol", "RigSecurity", "RigWire", "Sound", "Spool", "TurboJPEG", "ZeroMQ", lifecycle, logging,
        ]),
    // The coordinator's ends of the channels.
    module(
        "CoordinatorChannels", in: "Channels",
        [
            "AuditLog", "CaptureModel", "Catalogue", "ChannelSecurity", "ControlMessages", "FaultPoints", "FolderStore",
            "Journal", "KeyFiles", "PosixSupport", "Previews", "RigAccess", "RigConfiguration", "RigCore",
            "RigProtocol",
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
            "ShotDocuments", "TurboJPEG", "ZeroMQ",
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
            "CaptureModel", "FaultPoints", "PosixSupport", "RigConfiguration", "SystemClock", "ZeroMQ", argumentParser,
            lifecycle, logging, unixSignals,
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
    // Checks of a machine: facts that probes read, findings, and what fixes them.
    module(
        "Doctor", in: "Interfaces",
        [
            "CaptureModel", "DaemonSupport", "KeyFiles", "PosixSupport", "RigClient", "RigConfiguration", "RigJoining",
            "RigSecurity", "SystemClock", "ZeroMQ", argumentParser,
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
            "AuditLog", "CaptureModel", "ClientContexts", "Export", "ImageMetadata", "KeyFiles", "Mosquitto", "Movies",
            "OpenSSL", "PosixSupport", "PrivateFiles", "QRCodes", "RigClient", "RigConfiguration", "RigDocuments",
            "RigLibrary", "RigMatching", "RigSecurity", "RigWire", "ShotDocuments", "StrictJSON", "TurboJPEG", "ZeroMQ",
            httpTypes,
            hummingbird,
            hummingbirdCore, lifecycle, logging, nioCore, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL,
            nioWebSocket,
        ], path: "Sources/Interfaces/WebGateway", resources: [.copy("Page")], swiftSettings: strictSettings),
    // One file for each subcommand of capctl.
    module(
        "CapctlCommands", in: "Interfaces",
        [
            "AuditLog", "CameraSettings", "CaptureModel", "Catalogue", "ClientContexts", "DaemonSupport", "Doctor",
            "Export",
            "FolderStore", "Journal", "KeyFiles", "PosixSupport", "Previews", "QRCodes", "RigClient",
            "RigConfiguration",
            "RigDocuments", "RigJoining", "RigLibrary", "RigMatching", "RigSecurity", "RigWire", "ScreenTiming",
            "ShotDocuments", "Spool", "StorageKit", "SystemClock", "TimeCode", "TurboJPEG", "VirtualDevices", "ZeroMQ",
            argumentParser,
            subprocess, systemPackage,
        ]),

    // Programs: thin mains.
    executable(
        "capagentd", in: "Programs",
        [
            "AgentChannels", "CameraKit", "CaptureBackends", "CaptureModel", "DNG", "DaemonSupport", "Doctor",
            "FaultPoints", "KeyFiles", "Movies", "NodeCore", "PosixSupport", "RigConfiguration", "RigJoining",
            "RigSecurity",
            "SystemClock", "VirtualDevices", argumentParser,
        ]),
    executable(
        "capcoordd", in: "Programs",
        [
            "CaptureModel", "CoordinatorChannels", "DaemonSupport", "Doctor", "FaultPoints", "KeyFiles", "PosixSupport",
            "RigConfiguration", "RigSecurity", "SystemClock", argumentParser, logging,
        ]),
    executable("capctl", in: "Programs", ["CapctlCommands"]),
    executable(
        "capwebd", in: "Programs",
        [
            "ClientContexts", "DaemonSupport", "FaultPoints", "KeyFiles", "RigConfiguration",
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
        name: "DoctorTestSupport", dependencies: ["Doctor"], path: "Tests/Interfaces/DoctorTestSupport",
        swiftSettings: strictSettings),
    .target(
        name: "RigTestSupport",
        dependencies: [
            "CaptureModel", "CaptureTestSupport", "OpenSSL", "PosixSupport", "RigAccess", "StorageKit",
        ], path: "Tests/Core/RigTestSupport", swiftSettings: strictSettings),
    .executableTarget(
        name: "v4l2-probe",
        dependencies: [
            "CameraConformance", "CameraKit", "CaptureEngine", "CaptureModel", "PosixSupport", "ScreenTiming",
            "SystemClock", "TurboJPEG", "V4L2Camera",
        ], path: "Tests/DeviceLab/Probe", swiftSettings: strictSettings),
    .executableTarget(
        name: "alsa-probe",
        dependencies: [
            "ALSAMicrophone", "CameraKit", "CaptureEngine", "CaptureModel", "Sound", "SystemClock",
        ], path: "Tests/DeviceLab/SoundProbe", swiftSettings: strictSettings),
]

/// The tests of a module, in the folder of `Tests` that mirrors the module's own. They see the module, what it sees, and the
/// support of tests.
/// - Parameter further: What else they see.
@MainActor
func tests(of module: String, seeing further: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    guard let tested = modules.first(where: { $0.name == module }), let path = tested.path else {
        fatalError("Package.swift has no module '\(module)' to test")
    }
    let folder = path.split(separator: "/").dropFirst().joined(separator: "/")
    return .testTarget(
        name: "\(module)Tests",
        dependencies: [.init(stringLiteral: module), "CaptureTestSupport"] + tested.dependencies + further,
        path: "Tests/\(folder)Tests", exclude: exclude, swiftSettings: testSettings)
}

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

/// The test targets that are built alone; `make` sets the variable to the name of a module, or to several with commas between.
let testedAlone = Context.environment["CAPRIG_TESTS_OF"].map { $0.split(separator: ",").map { "\($0)Tests" } } ?? []

let testTargets: [Target] = [
    tests(of: "PosixSupport"),
    tests(of: "PrivateFiles"),
    tests(of: "ALSA"),
    tests(of: "Mosquitto"),
    tests(of: "SQLite"),
    tests(of: "OpenSSL", seeing: ["PosixSupport"]),
    tests(of: "TurboJPEG"),
    tests(of: "Video4Linux", seeing: ["CaptureModel"]),
    tests(of: "ZeroMQ"),
    tests(of: "LibAV"),
    tests(of: "StrictJSON"),
    tests(of: "SystemClock"),
    tests(
        of: "RigConfiguration",
        seeing: [
            "ALSAMicrophone", "CameraKit", "CaptureBackends", "CommandCamera", "FileCamera", "RTSPCamera", "V4L2Camera",
            "VirtualDevices",
        ]),
    tests(of: "RigSecurity"),
    tests(of: "CameraSettings", seeing: ["CameraKit", "VirtualDevices"]),
    tests(of: "FaultPoints", seeing: ["AgentChannels", "CoordinatorChannels"]),
    tests(of: "TimeCode", seeing: ["TurboJPEG"]),
    tests(of: "ScreenTiming"),
    tests(of: "QRCodes"),
    tests(of: "ImageMetadata", seeing: ["TurboJPEG"]),
    tests(of: "DNG", seeing: ["TurboJPEG"]),
    tests(of: "Movies", seeing: ["TurboJPEG"]),
    tests(of: "RigWire"),
    tests(of: "ShotDocuments", exclude: ["Manifests"]),
    tests(of: "KeyFiles", exclude: ["Exports"]),
    tests(of: "FolderStore", seeing: ["StorageConformance"]),
    tests(of: "Spool", seeing: ["Journal"], exclude: ["Documents"]),
    tests(of: "Journal"),
    tests(of: "AuditLog"),
    tests(of: "Catalogue", seeing: ["FolderStore", "ShotDocuments", "SystemClock"], exclude: ["Indexes"]),
    tests(of: "Previews", seeing: ["DNG", "FolderStore", "Movies", "OpenSSL"]),
    tests(of: "Export", seeing: ["FolderStore", "StorageConformance"]),
    tests(of: "CameraKit"),
    tests(of: "VirtualDevices", seeing: ["CameraConformance", "CameraSettings", "SystemClock"]),
    tests(of: "ChildPrograms"),
    tests(
        of: "CommandCamera",
        seeing: ["CameraConformance", "SystemClock", "TurboJPEG"]),
    tests(
        of: "RTSPCamera", seeing: ["CameraConformance", "ChildPrograms", "PosixSupport"],
        exclude: ["hostile_camera.py", "rtsp_camera.py"]),
    tests(
        of: "GPhotoCamera", seeing: ["SystemClock", "TurboJPEG"], exclude: ["faulty_helper.py", "ptpip_camera.py"]),
    tests(
        of: "AravisCamera", seeing: ["CameraConformance", "ChildPrograms", "SystemClock"],
        exclude: ["aravis_camera.py", "gev_camera.py"]),
    tests(of: "FileCamera", seeing: ["CameraConformance", "SystemClock", "TurboJPEG"]),
    tests(of: "V4L2Camera"),
    tests(of: "ALSAMicrophone", seeing: ["SystemClock"]),
    tests(of: "CaptureBackends", seeing: ["CaptureModel", "RigConfiguration"]),
    tests(of: "Sound", seeing: ["VirtualDevices"]),
    tests(of: "Recording"),
    tests(of: "CaptureEngine", seeing: ["TimeCode", "VirtualDevices"]),
    tests(of: "ClockSync"),
    tests(of: "RigAccess", seeing: ["RigTestSupport"]),
    tests(of: "ShotLogic"),
    tests(
        of: "NodeCore", seeing: ["ALSAMicrophone", "CaptureBackends", "SystemClock", "V4L2Camera", "VirtualDevices"]),
    tests(
        of: "RigCore",
        seeing: ["FolderStore", "MemoryObjectStore", "RigProtocol", "RigTestSupport", "RigWire", "SystemClock"]),
    tests(of: "ChannelSecurity", seeing: ["SystemClock"]),
    tests(of: "AgentChannels", seeing: ["SystemClock", "VirtualDevices"]),
    tests(of: "CoordinatorChannels", seeing: ["RigClient", "RigTestSupport"]),
    tests(of: "RigClient", seeing: ["SystemClock"]),
    tests(of: "RigMatching"),
    tests(of: "RigJoining"),
    tests(of: "WebGateway", seeing: ["CameraSettings", "RigProtocol", "RigTestSupport"]),
    tests(of: "DaemonSupport"),
    tests(of: "ClientContexts"),
    tests(of: "Doctor", seeing: ["DoctorTestSupport"]),
    tests(of: "RigDocuments", seeing: ["SystemClock"]),
    tests(of: "CapctlCommands", seeing: ["CameraKit", "CaptureBackends", "DoctorTestSupport", "RigProtocol"]),
    tests(
        of: "CameraConformance", seeing: ["PosixSupport", "SystemClock", "TimeCode", "TurboJPEG", "VirtualDevices"]),
    tests(of: "MemoryObjectStore", seeing: ["StorageConformance"]),
    fuzzing,
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "CapctlCommands", "CaptureModel", "CaptureTestSupport", "FolderStore", "PosixSupport", "ShotDocuments",
            "Spool", "StorageKit", "TimeCode", "TurboJPEG", argumentParser,
        ], path: "Tests/SystemTests", exclude: ["Support/program_camera.py"], swiftSettings: testSettings),
]

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
    targets: modules + testTargets.filter { testedAlone.isEmpty || testedAlone.contains($0.name) }
)
