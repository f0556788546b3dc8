internal import CaptureModel
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
        case .byCamera, .realityCapture: break
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

    private func writeManifests(_ files: [ExportedFile], _ write: Writing) async throws(ExportError) {
        let leftOut = Dictionary(grouping: files.filter { !$0.outcome.isThere }, by: \.shot)
        for shot in plan.shots {
            let manifest = ShotManifest(shot: shot.leavingOut(leftOut[shot.id] ?? []))
            let bytes = try ExportError.encoding { () throws(DocumentError) in try manifest.encoded() }
            try await write(bytes, [shot.id.description, shot.take == nil ? "shot.json" : "take.json"])
        }
    }

    private func writeColmap(_ files: [ExportedFile], _ write: Writing) async throws(ExportError) {
        let colmap = ColmapFiles(zip(plan.items, files).filter { $1.outcome.isThere }.map(\.0))
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
