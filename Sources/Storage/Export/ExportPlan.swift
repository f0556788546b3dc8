internal import CaptureModel

/// The content of an export: the path of each file of the library in it, and what is expected of each.
struct ExportPlan: Sendable {
    /// A file of a shot.
    struct Item: Sendable {
        let key: FileKey
        let file: CapturedFile
        let capture: Capture
        /// The destination folder as names from the export's root; empty for the root.
        let folder: [String]
        let name: String
        /// `CLOCK_REALTIME` of the shot's T.
        let realtimeNanoseconds: Int64

        var names: [String] { folder + [name] }
        var path: String { names.joined(separator: "/") }
        /// Whether it contains the times of a movie's frames.
        var isSidecar: Bool {
            if case .frames = key.kind { true } else { false }
        }
    }

    let layout: ExportLayout
    let shots: [Shot]
    let items: [Item]

    init(_ layout: ExportLayout, shots: [Shot]) {
        self.layout = layout
        self.shots = shots
        let folders = ExportFolders(layout, shots)
        items = shots.flatMap { shot in
            shot.captures.flatMap { capture in
                capture.files.filter { !layout.takesStillsOnly || $0.kind.isStill }.map { file in
                    let key = FileKey(
                        capture: CaptureKey(shot: shot.id, device: capture.device.id), kind: file.kind)
                    return Item(
                        key: key, file: file, capture: capture, folder: folders.folder(of: key, capture),
                        name: Self.name(of: key, layout), realtimeNanoseconds: shot.realtimeNanoseconds)
                }
            }
        }
    }

    /// Returns a file's name. A shot's id begins with the time of its request, so names sort by time. The cameras' files of one shot have
    /// the same name, by which COLMAP groups them.
    private static func name(of key: FileKey, _ layout: ExportLayout) -> String {
        switch layout {
        case .byShot: key.kind.fileName
        case .byCamera, .colmap, .timeline: "\(key.capture.shot).\(key.kind.fileName)"
        case .realityCapture: "\(key.capture.shot).\(key.capture.device.folderName).\(key.kind.fileName)"
        }
    }
}

extension Shot {
    /// `CLOCK_REALTIME` of T.
    var realtimeNanoseconds: Int64 { wallClock.realtimeNanoseconds(at: time) }
}

extension ExportedFile {
    /// What becomes of a file if the library has it as its manifest says.
    init(expecting item: ExportPlan.Item) {
        self.init(
            shot: item.key.capture.shot, device: item.key.capture.device, kind: item.key.kind, outcome: .copied,
            skewNanoseconds: item.capture.credibleTiming?.skewNanoseconds,
            boundNanoseconds: item.capture.credibleTiming?.midExposure.boundNanoseconds)
        if item.file.isStored {
            (path, byteCount, sha256) = (item.path, item.file.byteCount, item.file.digest?.description)
        } else {
            outcome = .absent
            reason =
                (item.file.problem ?? item.capture.problem)?.message ?? "its outcome is \(item.file.outcome.rawValue)"
        }
    }

    /// The same file if the export cannot have it.
    func leftOut(_ outcome: Outcome, _ reason: String) -> ExportedFile {
        var file = self
        (file.outcome, file.reason) = (outcome, reason)
        (file.path, file.byteCount, file.sha256) = (nil, nil, nil)
        return file
    }
}

/// The folders of a layout.
struct ExportFolders {
    private let layout: ExportLayout
    /// Cameras whose stills have several sizes.
    private var resized: Set<DeviceID> = []

    init(_ layout: ExportLayout, _ shots: [Shot]) {
        self.layout = layout
        var sizes: [DeviceID: PixelSize] = [:]
        for capture in shots.flatMap(\.captures) {
            guard let size = capture.size else { continue }
            if sizes.updateValue(size, forKey: capture.device.id).map({ $0 != size }) == true {
                resized.insert(capture.device.id)
            }
        }
    }

    func folder(of key: FileKey, _ capture: Capture) -> [String] {
        let camera = capture.device.id.folderName
        switch layout {
        case .byCamera, .timeline: return [camera]
        case .byShot: return [key.capture.shot.description, camera]
        case .colmap:
            // COLMAP assigns one camera model to a folder, so a folder cannot contain images of two sizes.
            guard resized.contains(capture.device.id), let size = capture.size else { return ["images", camera] }
            return ["images", "\(camera).\(size.width)x\(size.height)"]
        case .realityCapture: return []
        }
    }
}

extension Capture {
    fileprivate var size: PixelSize? {
        resolved.map { PixelSize(width: $0.width, height: $0.height) }
    }
}
