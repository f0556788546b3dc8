internal import CaptureModel

/// The rig that a demo runs: nodes with virtual cameras that all differ.
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
        /// What it writes into its pixels; also the seed of its noise.
        var number: UInt16
        /// Where its exposures fall within the frame interval.
        var phase: Duration
    }

    /// Cameras at full rate that one small machine draws and encodes.
    static let fullRateLimit = 8

    /// - Throws: ``InvalidName`` never, since the names are made here.
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

    /// A sentence that says what runs.
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
