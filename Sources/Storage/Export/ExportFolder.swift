internal import CaptureModel
internal import PosixSupport
internal import ShotDocuments

/// The folder of an export, created next to its place under a temporary name and moved into its place in one step.
final class ExportFolder {
    let path: String
    private let parent: Folder
    private let name: String
    private let temporaryName: String
    private let root: Folder
    /// The folders created, for removal, as names from the root. Names instead of descriptors, since a descriptor for each folder may
    /// exceed the limit of the process.
    private var folders: Set<[String]> = []
    private var files: [[String]] = []

    /// - Throws: `conflict` if something is in its place.
    init(_ path: String, fault: FileFault? = nil) throws(ExportError) {
        let parts = path.split(separator: "/")
        guard let last = parts.last, last != ".", last != ".." else {
            throw ExportError(.conflict, "make", path, "an export needs a separate folder; '\(path)' cannot be one")
        }
        let start = path.hasPrefix("/") ? "/" : ""
        let above = start + parts.dropLast().joined(separator: "/")
        self.path = path
        name = String(last)
        do {
            parent = try Folder(opening: above.isEmpty ? "." : above, fault: fault)
            try Self.checkIsFree(parent, name)
            temporaryName = ".export-\(UInt64.random(in: .min ... .max))"
            root = try parent.makeFolder(temporaryName)
        } catch let error as PosixError {
            throw ExportError(error)
        } catch let error as ExportError {
            throw error
        } catch {
            throw ExportError(.inputOutput, "make", path, "\(error)")
        }
    }

    /// Returns the folder at these names below the root, created if it is missing.
    func folder(_ names: some Sequence<String>) throws(PosixError) -> Folder {
        var folder = root
        var path: [String] = []
        for name in names {
            path.append(name)
            folders.insert(path)
            folder = try folder.makeFolder(name)
        }
        return folder
    }

    /// Registers a file that will be created, for removal.
    func note(_ names: [String]) {
        files.append(names)
    }

    func write(_ bytes: [UInt8], to names: [String]) throws(ExportError) {
        guard let name = names.last else { return }
        try root.attempt { () throws(PosixError) in
            let folder = try folder(names.dropLast())
            note(names)
            try folder.write([bytes], to: name)
        }
    }

    /// Moves the folder into its place, durably. An empty folder there is replaced; the kernel refuses any other.
    func publish() throws(ExportError) {
        try parent.attempt { () throws(PosixError) in try root.syncFileSystem() }
        do {
            try parent.rename(temporaryName, to: name)
        } catch {
            throw ExportError(.conflict, "make", path, "\(path) was created by another program meanwhile: \(error)")
        }
        try parent.attempt { () throws(PosixError) in try parent.sync() }
    }

    /// Removes what was created, as far as possible.
    func discard() {
        for names in files {
            guard let last = names.last else { continue }
            try? folder(names.dropLast()).remove(last)
        }
        for names in folders.sorted(by: { $0.count > $1.count }) {
            guard let last = names.last else { continue }
            try? folder(names.dropLast()).removeEmptyFolder(last)
        }
        try? parent.removeEmptyFolder(temporaryName)
    }

    private static func checkIsFree(_ parent: Folder, _ name: String) throws {
        guard let entry = try parent.entry(name) else { return }
        guard entry.kind == .folder, try parent.folder(name).names().isEmpty else {
            throw ExportError(
                .conflict, "make", parent.path(of: name),
                "\(parent.path(of: name)) exists already; an export is never mixed with other files")
        }
    }
}

/// The files that COLMAP reads in addition to images, with what is known: which images were taken at the same instant. Lenses and positions
/// are unknown, so they are omitted.
struct ColmapFiles {
    /// The most pairs that are listed.
    static let mostPairs = 1_000_000

    /// The cameras' folders below `images/` of stored images, by file name, which contains shot and kind.
    private var frames: [String: [String]] = [:]
    private var cameras: Set<String> = []

    init(_ items: [ExportPlan.Item]) {
        for item in items {
            guard let camera = item.folder.last else { continue }
            cameras.insert(camera)
            frames[item.name, default: []].append(camera)
        }
    }

    /// Returns `rig_config.json` for `colmap rig_configurator`: the cameras as sensors of one rig, without poses. nil for one camera.
    func rigConfiguration() throws(DocumentError) -> [UInt8]? {
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

    /// Returns `pairs.txt` for `colmap matches_importer`: one line for every two images of one instant. nil if there are none, or more than
    /// ``mostPairs``.
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

/// The destination of each file in an export.
struct ExportPlan {
    /// A file of a shot.
    struct Item {
        let key: FileKey
        let file: CapturedFile
        let capture: Capture
        /// The destination folder as names from the export's root; empty for the root.
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

    /// Returns a file's name. A shot's id begins with the time of its request, so names sort by time. The cameras' files of one shot have
    /// the same name, by which COLMAP groups them.
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
