internal import CaptureModel
internal import CaptureSystem
internal import Crypto
internal import PosixSupport
internal import ShotDocuments

/// Carries a plan out, file by file.
struct ExportWriter {
    private let reader: LibraryReader
    private let plan: ExportPlan
    private let target: ExportFolder
    private let linking: Bool
    private var files: [ExportedFile] = []

    init(_ reader: LibraryReader, _ plan: ExportPlan, _ target: ExportFolder, linking: Bool) {
        self.reader = reader
        self.plan = plan
        self.target = target
        self.linking = linking
    }

    mutating func run(_ progress: (Int, Int) -> Void) throws(CaptureProblem) -> ExportReport {
        var stored: [ExportPlan.Item] = []
        for item in plan.items {
            let file = try export(item)
            if file.outcome.isThere { stored.append(item) }
            files.append(file)
            progress(files.count, plan.items.count)
        }
        var report = ExportReport(
            layout: plan.layout, library: reader.root.path, shots: plan.shots.map(\.id), files: files)
        guard !report.isEmpty else { return report }
        try writeCompanions(stored)
        report.files = files
        try target.write(try StoredJSON.encoded(report, "export.json"), to: ["export.json"])
        return report
    }

    private mutating func writeCompanions(_ stored: [ExportPlan.Item]) throws(CaptureProblem) {
        switch plan.layout {
        case .byShot:
            for shot in plan.shots {
                let manifest = ShotManifest(shot: shot.leavingOut(files))
                try target.write(try manifest.encoded(), to: [shot.id.description, LibraryNames.manifest(of: shot)])
            }
        case .colmap:
            let files = ColmapFiles(stored)
            if let bytes = try files.rigConfiguration() { try target.write(bytes, to: ["rig_config.json"]) }
            if let bytes = files.pairs() { try target.write(bytes, to: ["pairs.txt"]) }
        case .timeline:
            let timelines = TimelineFiles(reader: reader, target: target)
            for shot in plan.shots { try timelines.write(shot, &files) }
        case .byCamera, .realityCapture: break
        }
    }

    /// - Throws: Where the export cannot be written; what is wrong with the library's file is an outcome.
    private func export(_ item: ExportPlan.Item) throws(CaptureProblem) -> ExportedFile {
        var file = ExportedFile(item)
        guard item.file.outcome == .done || item.file.outcome == .late else {
            file.outcome = .absent
            file.reason =
                (item.file.problem ?? item.capture.problem)?.message ?? "its outcome is \(item.file.outcome.rawValue)"
            return file
        }
        guard let source = try source(of: item, &file) else { return file }
        let folder = try target.attempt { () throws(PosixError) in try target.folder(item.folder) }
        target.note(item.folder + [item.name])
        let found: (digest: ContentDigest, byteCount: Int64)
        if linking, let linked = link(item, source, folder) {
            file.outcome = .linked
            found = linked
        } else {
            file.outcome = .copied
            guard let copied = try copy(source.file, to: item.name, in: folder, &file) else { return file }
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

    private typealias Source = (folder: Folder, file: OpenFile)

    /// The library's file; nil where it cannot be had, which the outcome then says.
    private func source(of item: ExportPlan.Item, _ file: inout ExportedFile) throws(CaptureProblem) -> Source? {
        do throws(PosixError) {
            guard let day = try? reader.folder(of: item.key.capture.shot),
                let folder = try day.folderIfPresent(item.key.capture.device.folderName),
                try folder.entry(item.key.kind.fileName) != nil
            else {
                (file.outcome, file.reason) = (.missing, "the library does not have it any more")
                return nil
            }
            let opened = try folder.open(item.key.kind.fileName, for: .reading)
            guard try opened.version().isRegular else {
                (file.outcome, file.reason) = (.unreadable, "it is no regular file")
                return nil
            }
            return (folder, opened)
        } catch {
            (file.outcome, file.reason) = (.unreadable, error.description)
            return nil
        }
    }

    /// nil where the file system does not link, such as to another one.
    private func link(
        _ item: ExportPlan.Item, _ source: Source, _ folder: Folder
    ) -> (ContentDigest, Int64)? {
        do throws(PosixError) {
            try source.folder.link(item.key.kind.fileName, in: folder, to: item.name)
            // What has got the name is hashed, whatever was opened before.
            let linked = try folder.open(item.name, for: .reading)
            return (try linked.digest(), try linked.byteCount())
        } catch {
            try? folder.remove(item.name)
            return nil
        }
    }

    /// Copies and hashes the same bytes; nil where the library's file cannot be read to its end.
    private func copy(
        _ source: OpenFile, to name: String, in folder: Folder, _ file: inout ExportedFile
    ) throws(CaptureProblem) -> (ContentDigest, Int64)? {
        // Never into what has the name already: after a link that failed half-way that is the library's own file.
        let copy = try folder.attempt { () throws(PosixError) in try folder.open(name, for: .creating) }
        var (hash, offset) = (SHA256(), Int64(0))
        while true {
            let bytes: [UInt8]
            do throws(PosixError) {
                bytes = try source.read(at: offset, count: 1 << 20)
            } catch {
                try? folder.remove(name)
                (file.outcome, file.reason) = (.unreadable, error.description)
                return nil
            }
            guard !bytes.isEmpty else { return (ContentDigest(hash.finalize()), offset) }
            hash.update(data: bytes)
            try folder.attempt { () throws(PosixError) in try copy.write(bytes) }
            offset += Int64(bytes.count)
        }
    }
}

extension ExportFolder {
    fileprivate func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(CaptureProblem) -> Result {
        do {
            return try work()
        } catch {
            throw CaptureProblem(error)
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
