internal import CaptureModel
internal import Foundation
internal import RigConfiguration
internal import VirtualDevices

/// The rig of a demo: nodes with virtual cameras that all differ, and a virtual microphone for each node.
struct DemoPlan: Equatable {
    var nodes: [Node]
    /// Pixels.
    var width = 1280
    var height = 720
    var framesPerSecond: Int

    /// A node of the rig.
    struct Node: Equatable {
        var name: NodeName
        var cameras: [Camera]
        /// The microphone whose sound belongs to the clips of all cameras of the node; nil for silent clips.
        var microphone: Microphone?
    }

    /// A virtual camera.
    struct Camera: Equatable {
        var name: DeviceName
        var position: Position
        /// The number in its pixels; also the seed of its noise.
        var number: UInt16
        /// The phase of its exposures within the frame interval.
        var phase: Duration
    }

    /// A virtual microphone.
    struct Microphone: Equatable {
        var name: DeviceName
        /// The number of its node, from 1; also the seed of its noise.
        var number: UInt16
    }

    /// Samples per second of each microphone.
    static let sampleRate = VirtualMicrophoneConfiguration().sampleRate
    /// The number of cameras that one small machine can draw and encode at full rate.
    static let fullRateLimit = 8

    /// - Parameters:
    ///   - cameraCount: The number of cameras on each node.
    ///   - hasMicrophones: Whether each node has a microphone.
    /// - Throws: Never ``InvalidName``, since the names are made here.
    init(nodes nodeCount: Int, cameras cameraCount: Int, hasMicrophones: Bool = true) throws(InvalidName) {
        let total = nodeCount * cameraCount
        framesPerSecond = total <= Self.fullRateLimit ? 30 : 15
        nodes = []
        for node in 0..<nodeCount {
            var cameras: [Camera] = []
            for camera in 0..<cameraCount {
                let index = node * cameraCount + camera
                cameras.append(
                    Camera(
                        name: try DeviceName("cam\(camera + 1)"), position: Self.position(index),
                        number: UInt16(clamping: index + 1),
                        phase: .nanoseconds(1_000_000_000 / framesPerSecond * index / max(total, 1))))
            }
            let number = UInt16(clamping: node + 1)
            let microphone = hasMicrophones ? Microphone(name: try DeviceName("mic1"), number: number) : nil
            nodes.append(Node(name: try NodeName("node\(node + 1)"), cameras: cameras, microphone: microphone))
        }
    }

    var cameraCount: Int { nodes.reduce(0) { $0 + $1.cameras.count } }
    var microphoneCount: Int { nodes.count { $0.microphone != nil } }

    /// A sentence that describes the rig.
    var summary: String {
        let rate = "\(width)x\(height) at \(framesPerSecond) frames per second"
        let why = framesPerSecond < 30 ? " (30 up to \(Self.fullRateLimit) cameras)" : ""
        let sound = microphoneCount > 0 ? " and \(microphoneCount.counted("virtual microphone"))" : ""
        let devices = "\(cameraCount.counted("virtual camera"))\(sound)"
        return "\(nodes.count.counted("node")) with \(devices), \(rate)\(why)"
    }

    private static let places = [
        "front", "left", "right", "back", "top", "bottom", "front-left", "front-right", "back-left", "back-right",
        "top-front", "top-left", "top-right", "top-back",
    ]

    private static func position(_ index: Int) -> Position {
        Position(rawValue: index < places.count ? places[index] : "ring-\(index - places.count + 1)")
    }
}

extension DemoPlan {
    /// The configuration file of a node's agent. Endpoint and spool are on the agent's command line.
    func yaml(_ node: Node) throws -> String {
        try AgentConfiguration(
            node: node.name, devices: node.cameras.map { device($0, node.microphone) },
            microphones: [node.microphone].compactMap(\.self).map { microphone($0, of: node) }
        ).yaml()
    }

    private func microphone(_ microphone: Microphone, of node: Node) -> MicrophoneConfiguration {
        var source = VirtualMicrophoneConfiguration()
        source.number = microphone.number
        source.seed = UInt64(microphone.number)
        source.sampleRate = Self.sampleRate
        return MicrophoneConfiguration(
            name: microphone.name, labels: ["demo"], purpose: "Sound of the clips of \(node.name) in the demo",
            source: .virtual(source))
    }

    private func device(_ camera: Camera, _ microphone: Microphone?) -> DeviceConfiguration {
        var source = VirtualCameraConfiguration()
        source.number = camera.number
        source.seed = UInt64(camera.number)
        (source.width, source.height, source.framesPerSecond) = (width, height, Double(framesPerSecond))
        source.phaseMilliseconds = Double(camera.phase.nanoseconds / 1000) / 1000
        return DeviceConfiguration(
            name: camera.name, type: .wide, position: camera.position, labels: ["demo"],
            purpose: "Virtual camera \(camera.number) of the demo, \(camera.position)", source: .virtual(source),
            microphone: microphone?.name)
    }
}

/// The settings of a demo.
struct DemoSettings: Equatable {
    var plan: DemoPlan
    /// The absolute path of the library.
    var library: String
    var programs: DaemonPrograms
    var usesTimeNamespaces: Bool
    var logLevel: String
}

/// Runs an agent in a separate time namespace, where its monotonic clock is off by minutes. So a shared clock cannot be
/// mistaken for synchronization.
enum TimeShift {
    /// `unshare` of util-linux.
    static let program = "/usr/bin/unshare"

    /// Seconds by which the clock of the node with this index is ahead: different for each, never 0.
    static func seconds(node index: Int) -> Int {
        (index + 1) * 420 + index * index * 13
    }

    /// The arguments of ``program`` that run `command`. `unshare` executes the command in its place, so signals and
    /// pipes reach it.
    static func arguments(node index: Int, command: [String]) -> [String] {
        ["--time", "--monotonic", "\(seconds(node: index))", "--"] + command
    }

    /// - Throws: ``CommandFailure`` if time namespaces cannot be created.
    static func check() throws {
        guard geteuid() == 0 else {
            throw CommandFailure(
                .other, "--time-namespaces needs root, since only root may make time namespaces; use sudo")
        }
        guard FileManager.default.fileExists(atPath: "/proc/self/ns/time_for_children"),
            FileManager.default.isExecutableFile(atPath: program)
        else {
            throw CommandFailure(
                .other, "--time-namespaces needs Linux 5.6 or later and \(program) (package util-linux)")
        }
    }
}
