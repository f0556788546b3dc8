internal import CaptureModel
internal import Foundation
internal import RigConfiguration
internal import VirtualDevices

/// The rig of a demo: nodes with virtual cameras that all differ.
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

    /// The number of cameras that one small machine can draw and encode at full rate.
    static let fullRateLimit = 8

    /// - Throws: Never ``InvalidName``, since the names are made here.
    init(nodes nodeCount: Int, cameras cameraCount: Int) throws(InvalidName) {
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
            nodes.append(Node(name: try NodeName("node\(node + 1)"), cameras: cameras))
        }
    }

    var cameraCount: Int { nodes.reduce(0) { $0 + $1.cameras.count } }

    /// A sentence that describes the rig.
    var summary: String {
        let rate = "\(width)x\(height) at \(framesPerSecond) frames per second"
        let why = framesPerSecond < 30 ? " (30 up to \(Self.fullRateLimit) cameras)" : ""
        let what = "\(nodes.count) node\(nodes.count == 1 ? "" : "s") with \(cameraCount) virtual camera"
        return what + (cameraCount == 1 ? "" : "s") + ", \(rate)\(why)"
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
        try AgentConfiguration(node: node.name, devices: node.cameras.map(device)).yaml()
    }

    private func device(_ camera: Camera) -> DeviceConfiguration {
        var source = VirtualCameraConfiguration()
        source.number = camera.number
        source.seed = UInt64(camera.number)
        (source.width, source.height, source.framesPerSecond) = (width, height, Double(framesPerSecond))
        source.phaseMilliseconds = Double(camera.phase.nanoseconds / 1000) / 1000
        return DeviceConfiguration(
            name: camera.name, type: .wide, position: camera.position, labels: ["demo"],
            purpose: "Virtual camera \(camera.number) of the demo, \(camera.position)", source: .virtual(source))
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
