internal import CaptureModel
internal import OpenSSL
internal import ShotDocuments
internal import StorageKit

/// The files that an export has in addition to those of the library: manifests, and what other programs read.
struct ExportCompanions {
    /// Takes one of the files.
    typealias Writing = (_ bytes: [UInt8], _ names: [String]) async throws(ExportError) -> Void

    let plan: ExportPlan
    let store: any ShotLookup
    /// What the timelines need of the sidecars in the export.
    let sidecars: [FileKey: SidecarOutline]

    /// Makes the files, one after the other; `export.json` is the last one.
    /// - Parameter files: The outcome of every item of the plan, in its order.
    /// - Returns: The content of `export.json`.
    func make(for files: [ExportedFile], _ write: Writing) async throws(ExportError) -> ExportReport {
        var files = files
        switch plan.layout {
        case .byShot: try await writeManifests(files, write)
        case .colmap: try await writeColmap(files, write)
        case .timeline:
            let timelines = TimelineFiles(shots: store, sidecars: sidecars)
            for shot in plan.shots { try await timelines.make(shot, &files, write) }
        case .realityCapture:
            let rig = RealityCaptureRig(plan.items)
            for item in images(files) {
                guard let sidecar = rig.sidecar(of: item) else { continue }
                try await write(sidecar.bytes, [sidecar.name])
            }
        case .byCamera: break
        }
        let report = report(of: files)
        let bytes = try ExportError.encoding { () throws(DocumentError) in
            try StoredJSON.encoded(report, "export.json")
        }
        try await write(bytes, ["export.json"])
        return report
    }

    func report(of files: [ExportedFile]) -> ExportReport {
        ExportReport(
            layout: plan.layout, library: store.location, shots: plan.shots.map(\.id),
            cameras: ExportedCamera.list(plan.shots), files: files)
    }

    /// The items whose files are in the export.
    private func images(_ files: [ExportedFile]) -> [ExportPlan.Item] {
        zip(plan.items, files).filter { $1.outcome.isThere }.map(\.0)
    }

    private func writeManifests(_ files: [ExportedFile], _ write: Writing) async throws(ExportError) {
        let leftOut = Dictionary(grouping: files.filter { !$0.outcome.isThere }, by: \.shot)
        for shot in plan.shots {
            let manifest = ShotManifest(shot: shot.leavingOut(leftOut[shot.id] ?? []))
            let bytes = try ExportError.encoding { () throws(DocumentError) in try manifest.encoded() }
            try await write(bytes, [shot.id.description, shot.take == nil ? "shot.json" : "take.json"])
        }
    }

    private func writeColmap(_ files: [ExportedFile], _ write: Writing) async throws(ExportError) {
        let colmap = ColmapFiles(images(files))
        let rig = try ExportError.encoding { () throws(DocumentError) in try colmap.rigConfiguration() }
        if let bytes = rig { try await write(bytes, ["rig_config.json"]) }
        if let bytes = colmap.pairs() { try await write(bytes, ["pairs.txt"]) }
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

/// The XMP sidecars by which RealityCapture knows which images are of one instant, as its help describes them ("XMP Metadata Files"): all
/// cameras are one rig, and each instant is an instance of it. Lenses and positions are unknown, so they are omitted.
struct RealityCaptureRig {
    private let cameras: [DeviceID]

    /// - Parameter items: All of the export, whether their files exist or not, so that the rig is the same without them.
    init(_ items: [ExportPlan.Item]) {
        cameras = Set(items.map(\.key.capture.device)).sorted()
    }

    /// Returns the sidecar of an image, which has the image's name and another suffix; nil if the rig has one camera.
    func sidecar(of item: ExportPlan.Item) -> (name: String, bytes: [UInt8])? {
        guard cameras.count > 1, let index = cameras.firstIndex(of: item.key.capture.device) else { return nil }
        let rig = Self.identifier(of: cameras.map(\.description))
        // The pictures of a bracket are of different instants.
        let instance = Self.identifier(of: [item.key.capture.shot.description, item.key.kind.rawValue])
        let text = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
              <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
                <rdf:Description xmlns:xcr="http://www.capturingreality.com/ns/xcr/1.1#" xcr:Version="3"
                  xcr:Rig="\(rig)" xcr:RigInstance="\(instance)" xcr:RigPoseIndex="\(index)"/>
              </rdf:RDF>
            </x:xmpmeta>

            """
        let stem = item.name.split(separator: ".").dropLast().joined(separator: ".")
        return ("\(stem).xmp", Array(text.utf8))
    }

    /// Returns a UUID of version 8 (RFC 9562) that the same texts always have, as RealityCapture writes it.
    private static func identifier(of texts: [String]) -> String {
        var hash = SHA256()
        hash.update(Array(texts.joined(separator: "\n").utf8))
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        let groups = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return "{\(groups.map { $0.joined() }.joined(separator: "-"))}"
    }
}

extension Shot {
    /// Returns the shot as exported. A file that the library's manifest says is stored and that was left out has failed. Captures and
    /// status follow from that.
    func leavingOut(_ leftOut: [ExportedFile]) -> Shot {
        guard !leftOut.isEmpty else { return self }
        var shot = self
        for index in shot.captures.indices { shot.captures[index].leaveOut(leftOut) }
        shot.status = shot.derivedStatus
        return shot
    }
}

extension Capture {
    fileprivate mutating func leaveOut(_ leftOut: [ExportedFile]) {
        for index in files.indices where files[index].isStored {
            let found = leftOut.first { $0.device == device.id && $0.kind == files[index].kind }
            guard let found else { continue }
            files[index].outcome = .failed
            files[index].problem = RigProblem(.fileLost, "it is not in this export: \(found.reason ?? "unknown")")
            (files[index].path, files[index].storedAt) = (nil, nil)
            if isSettled { (phase, problem) = (derivedPhase, files[index].problem) }
        }
    }
}
