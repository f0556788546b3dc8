internal import CaptureModel
internal import Crypto
internal import PosixSupport
internal import ShotDocuments
internal import StorageKit

/// Performs an export plan, file by file.
struct ExportWriter {
    private let store: any ShotLookup & AssetRangeReading
    private let plan: ExportPlan
    private let target: ExportFolder
    private let link: ShotExport.Linking?
    private var files: [ExportedFile] = []

    init(
        _ store: any ShotLookup & AssetRangeReading, _ plan: ExportPlan, _ target: ExportFolder,
        link: ShotExport.Linking?
    ) {
        self.store = store
        self.plan = plan
        self.target = target
        self.link = link
    }

    mutating func run(_ progress: (Int, Int) -> Void) async throws(ExportError) -> ExportReport {
        var stored: [ExportPlan.Item] = []
        for item in plan.items {
            let file = try await export(item)
            if file.outcome.isThere { stored.append(item) }
            files.append(file)
            progress(files.count, plan.items.count)
        }
        var report = ExportReport(
            layout: plan.layout, library: store.location, shots: plan.shots.map(\.id), files: files)
        guard !report.isEmpty else { return report }
        try await writeCompanions(stored)
        report.files = files
        let bytes = try ExportError.encoding { () throws(DocumentError) in
            try StoredJSON.encoded(report, "export.json")
        }
        try target.write(bytes, to: ["export.json"])
        return report
    }

    private mutating func writeCompanions(_ stored: [ExportPlan.Item]) async throws(ExportError) {
        switch plan.layout {
        case .byShot:
            for shot in plan.shots {
                let manifest = ShotManifest(shot: shot.leavingOut(files))
                let bytes = try ExportError.encoding { () throws(DocumentError) in try manifest.encoded() }
                let name = shot.take == nil ? "shot.json" : "take.json"
                try target.write(bytes, to: [shot.id.description, name])
            }
        case .colmap:
            let files = ColmapFiles(stored)
            let rig = try ExportError.encoding { () throws(DocumentError) in try files.rigConfiguration() }
            if let bytes = rig { try target.write(bytes, to: ["rig_config.json"]) }
            if let bytes = files.pairs() { try target.write(bytes, to: ["pairs.txt"]) }
        case .timeline:
            let timelines = TimelineFiles(shots: store, target: target)
            for shot in plan.shots { try await timelines.write(shot, &files) }
        case .byCamera, .realityCapture: break
        }
    }

    /// - Throws: If the export cannot be written. A problem with the library's file is an outcome instead.
    private func export(_ item: ExportPlan.Item) async throws(ExportError) -> ExportedFile {
        var file = ExportedFile(item)
        guard item.file.isStored else {
            file.outcome = .absent
            file.reason =
                (item.file.problem ?? item.capture.problem)?.message ?? "its outcome is \(item.file.outcome.rawValue)"
            return file
        }
        guard await isThere(item, &file) else { return file }
        let folder = try target.attempt { () throws(PosixError) in try target.folder(item.folder) }
        target.note(item.folder + [item.name])
        let found: AssetContent
        if let linked = linked(item, in: folder) {
            file.outcome = .linked
            found = linked
        } else {
            file.outcome = .copied
            guard let copied = try await copy(item, to: folder, &file) else { return file }
            found = copied
        }
        guard found.digest == item.file.digest else {
            try? folder.remove(item.name)
            file.outcome = .altered
            file.reason = "its SHA-256 is \(found.digest) instead of \(item.file.digest?.description ?? "unknown")"
            return file
        }
        (file.path, file.byteCount, file.sha256) = (item.path, found.byteCount, found.digest.description)
        return file
    }

    /// Returns whether the library's file exists. If not, sets the outcome.
    private func isThere(_ item: ExportPlan.Item, _ file: inout ExportedFile) async -> Bool {
        do throws(StorageError) {
            if try await store.byteCount(of: item.key) != nil { return true }
            (file.outcome, file.reason) = (.missing, "the library has lost it")
        } catch {
            (file.outcome, file.reason) = (ExportedFile.Outcome(error), error.description)
        }
        return false
    }

    /// Links a file; nil if files are not linked, or this one cannot be, for example to another file system.
    private func linked(_ item: ExportPlan.Item, in folder: Folder) -> AssetContent? {
        guard let link else { return nil }
        do throws(PosixError) {
            try link(item.key, folder, item.name)
            // Hashes the file that has the name, whatever had it before.
            let linked = try folder.open(item.name, for: .reading)
            var (hash, offset) = (SHA256(), Int64(0))
            while true {
                let bytes = try linked.read(at: offset, count: 1 << 20)
                guard !bytes.isEmpty else { return AssetContent(hash, offset) }
                hash.update(data: bytes)
                offset += Int64(bytes.count)
            }
        } catch {
            try? folder.remove(item.name)
            return nil
        }
    }

    /// Copies and hashes the same bytes; nil if the library's file cannot be read to its end.
    private func copy(
        _ item: ExportPlan.Item, to folder: Folder, _ file: inout ExportedFile
    ) async throws(ExportError) -> AssetContent? {
        // Never writes into an existing file of this name: after a link that failed half-way it is the library's own file.
        let copy = try folder.attempt { () throws(PosixError) in try folder.open(item.name, for: .creating) }
        var (hash, offset) = (SHA256(), Int64(0))
        while true {
            let bytes: [UInt8]
            do throws(StorageError) {
                bytes = try await store.read(item.key, at: offset, count: 1 << 20)
            } catch {
                try? folder.remove(item.name)
                (file.outcome, file.reason) = (ExportedFile.Outcome(error), error.description)
                return nil
            }
            guard !bytes.isEmpty else { return AssetContent(hash, offset) }
            hash.update(data: bytes)
            try folder.attempt { () throws(PosixError) in try copy.write(bytes) }
            offset += Int64(bytes.count)
        }
    }
}

extension AssetContent {
    fileprivate init?(_ hash: SHA256, _ byteCount: Int64) {
        guard let digest = ContentDigest(bytes: Array(hash.finalize())) else { return nil }
        self.init(byteCount: byteCount, digest: digest)
    }
}

extension ExportFolder {
    fileprivate func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(ExportError) -> Result {
        do {
            return try work()
        } catch {
            throw ExportError(error)
        }
    }
}

extension ExportedFile.Outcome {
    /// The outcome of a file that cannot be read to its end.
    fileprivate init(_ error: StorageError) {
        switch error.code {
        case .notFound: self = .missing
        case .corrupted: self = .altered
        case .inputOutput, .noSpace, .conflict, .invalidRequest: self = .unreadable
        }
    }
}

extension ExportedFile {
    fileprivate init(_ item: ExportPlan.Item) {
        self.init(
            shot: item.key.capture.shot, device: item.key.capture.device, kind: item.key.kind, outcome: .absent,
            skewNanoseconds: item.capture.timing?.skewNanoseconds,
            boundNanoseconds: item.capture.timing?.midExposure.boundNanoseconds)
    }
}

extension Shot {
    /// Returns the shot as exported. A file that the library's manifest says is stored and that was left out has failed. Captures and
    /// status follow from that.
    func leavingOut(_ files: [ExportedFile]) -> Shot {
        let leftOut = files.filter { $0.shot == id && !$0.outcome.isThere }
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
            files[index].problem = CaptureProblem(.fileLost, "it is not in this export: \(found.reason ?? "unknown")")
            (files[index].path, files[index].storedAt) = (nil, nil)
            if isSettled { (phase, problem) = (derivedPhase, files[index].problem) }
        }
    }
}
