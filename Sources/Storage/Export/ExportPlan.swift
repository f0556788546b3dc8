internal import CaptureModel

/// Which file of which shot goes where in an export.
struct ExportPlan {
    /// A file of a shot.
    struct Item {
        let key: FileKey
        let file: CapturedFile
        let capture: Capture
        /// The folder it goes to, as names from the export's root; empty for the root itself.
        let folder: [String]
        let name: String

        var path: String { (folder + [name]).joined(separator: "/") }
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
                        name: Self.name(of: key, layout))
                }
            }
        }
    }

    /// The shot's id begins with the time of its request, so names sort by time; cameras give the files of one shot the
    /// same name, by which COLMAP knows that they belong together.
    private static func name(of key: FileKey, _ layout: ExportLayout) -> String {
        switch layout {
        case .byShot: key.kind.fileName
        case .byCamera, .colmap, .timeline: "\(key.capture.shot).\(key.kind.fileName)"
        case .realityCapture: "\(key.capture.device.folderName).\(key.capture.shot).\(key.kind.fileName)"
        }
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
            // COLMAP gives a folder one camera model, which cannot be of two sizes.
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
