internal import CaptureModel
internal import ShotDocuments

/// What COLMAP takes besides images, as far as it is known: which images were taken at one instant. Of lenses and places
/// nothing is known, so nothing is said.
struct ColmapFiles {
    /// More pairs are not listed.
    static let mostPairs = 1_000_000

    /// Stored images by shot and kind, each with its camera's folder below `images/`.
    private var frames: [String: [String]] = [:]
    private var cameras: Set<String> = []

    init(_ items: [ExportPlan.Item]) {
        for item in items {
            guard let camera = item.folder.last else { continue }
            cameras.insert(camera)
            frames[item.name, default: []].append(camera)
        }
    }

    /// `rig_config.json`: the cameras as sensors of one rig, without poses; for `colmap rig_configurator`. nil for one
    /// camera.
    func rigConfiguration() throws(CaptureProblem) -> [UInt8]? {
        struct Sensor: Encodable {
            var image_prefix: String
            var ref_sensor: Bool?
        }
        struct Rig: Encodable {
            var cameras: [Sensor]
        }
        guard cameras.count > 1 else { return nil }
        let sensors = cameras.sorted().enumerated().map { index, camera in
            Sensor(image_prefix: camera + "/", ref_sensor: index == 0 ? true : nil)
        }
        return try StoredJSON.encoded([Rig(cameras: sensors)], "rig_config.json")
    }

    /// `pairs.txt`: every two images of one instant, a line each; for `colmap matches_importer`. nil where there is none, or
    /// more than anybody would match one by one.
    func pairs() -> [UInt8]? {
        let count = frames.values.reduce(0) { $0 + $1.count * ($1.count - 1) / 2 }
        guard (1...Self.mostPairs).contains(count) else { return nil }
        var text = ""
        for (name, cameras) in frames.sorted(by: { $0.key < $1.key }) {
            let images = cameras.sorted().map { "\($0)/\(name)" }
            for (index, first) in images.enumerated() {
                for second in images[(index + 1)...] { text += "\(first) \(second)\n" }
            }
        }
        return Array(text.utf8)
    }
}
