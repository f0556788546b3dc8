/// A node of a rig under test and its virtual cameras.
struct NodePlan: Sendable {
    var name: String
    var cameras: [Camera]
    /// Where the node's spool lies; in the rig's folder otherwise.
    var spool: String?
    /// The most that the spool may hold.
    var spoolLimit = "200 MiB"
    /// YAML of how long a camera that fails is tried again, such as `{ failures: 1 }`.
    var recovery = "{}"
    /// Added to the environment of its agent.
    var environment: [String: String] = [:]
    /// YAML of its microphones.
    var microphones = "[]"

    /// A virtual camera.
    struct Camera: Sendable {
        var name: String
        /// What it writes into its pixels.
        var number: Int
        var framesPerSecond = 20
        var width = 640
        var height = 360
        /// YAML of its faults, such as `{ kind: busy }`.
        var faults: [String] = []
        /// Whether its shots may have clips, for which an answer waits a second and a half longer.
        var isLive = false
        /// Further keys of the device in YAML, such as `sceneChange: true`.
        var settings: [String] = []
    }

    /// Nodes `node1`, `node2`, … with cameras `cam1`, `cam2`, … each.
    static func nodes(_ nodeCount: Int, cameras cameraCount: Int, change: (inout Camera) -> Void = { _ in }) -> [Self] {
        (0..<nodeCount).map { node in
            let cameras = (0..<cameraCount).map { index in
                var camera = Camera(name: "cam\(index + 1)", number: node * cameraCount + index + 1)
                change(&camera)
                return camera
            }
            return NodePlan(name: "node\(node + 1)", cameras: cameras)
        }
    }

    /// The agent's configuration.
    func yaml(spool: String, coordinator: String) -> String {
        """
        node: \(name)
        coordinator: \(coordinator)
        spool: { folder: \(spool), limit: \(spoolLimit), reserve: 64 KiB }
        ring: { depth: 3 s, memory: 64 MiB }
        recovery: \(recovery)
        microphones: \(microphones)
        devices:

        """ + cameras.map(yaml).joined()
    }

    private func yaml(_ camera: Camera) -> String {
        """
          - name: \(camera.name)
            type: wide
            purpose: Camera \(camera.number) of a test
            live: \(camera.isLive)
        \(camera.settings.map { "    \($0)" }.joined(separator: "\n"))
            source:
              virtual:
                number: \(camera.number)
                width: \(camera.width)
                height: \(camera.height)
                framesPerSecond: \(camera.framesPerSecond)
                phaseMilliseconds: \(camera.number * 3)
                faults: [\(camera.faults.joined(separator: ", "))]

        """
    }
}
