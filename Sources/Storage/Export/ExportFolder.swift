internal import CaptureModel
internal import PosixSupport

/// The folder of an export, created next to its place under a temporary name and moved into its place in one step.
final class ExportFolder: ExportTarget {
    let path: String
    private let parent: Folder
    private let name: String
    private let temporaryName: String
    private let root: Folder
    private let link: ShotExport.Linking?
    /// The folders created, for removal, as names from the root. Names instead of descriptors, since a descriptor for each folder may
    /// exceed the limit of the process.
    private var folders: Set<[String]> = []
    private var files: [[String]] = []

    /// - Parameter link: Links a file of the library into the folder. If it is nil or throws, files are copied.
    /// - Throws: `conflict` if something is in its place.
    init(_ path: String, link: ShotExport.Linking? = nil, fault: FileFault? = nil) throws(ExportError) {
        let parts = path.split(separator: "/")
        guard let last = parts.last, last != ".", last != ".." else {
            throw ExportError(.conflict, "make", path, "an export needs a separate folder; '\(path)' cannot be one")
        }
        let start = path.hasPrefix("/") ? "/" : ""
        let above = start + parts.dropLast().joined(separator: "/")
        self.path = path
        self.link = link
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

    var mayLackFiles: Bool { false }

    func add(_ source: inout ExportSource) async throws(ExportError) -> ExportedFile.Outcome {
        let item = source.item
        let folder = try root.attempt { () throws(PosixError) in try self.folder(item.folder) }
        files.append(item.names)
        if let linked = linked(source, in: folder) {
            source = linked
            guard let failure = source.failure else { return .linked }
            try? folder.remove(item.name)
            return failure.outcome
        }
        // Never writes into an existing file of this name: after a link that failed half-way it is the library's own file.
        let copy = try folder.attempt { () throws(PosixError) in try folder.open(item.name, for: .creating) }
        while true {
            let bytes = await source.next()
            guard !bytes.isEmpty else { break }
            try folder.attempt { () throws(PosixError) in try copy.write(bytes) }
        }
        guard let failure = source.failure else { return .copied }
        try? folder.remove(item.name)
        return failure.outcome
    }

    /// Links a file; nil if files are not linked, or this one cannot be, for example to another file system.
    private func linked(_ source: ExportSource, in folder: Folder) -> ExportSource? {
        guard let link else { return nil }
        var source = source
        do throws(PosixError) {
            try link(source.item.key, folder, source.item.name)
            // Hashes the file that has the name, whatever had it before.
            let linked = try folder.open(source.item.name, for: .reading)
            while source.failure == nil {
                let bytes = try linked.read(at: source.byteCount, count: ExportSource.pieceByteCount)
                guard !bytes.isEmpty else { break }
                source.pass(bytes)
            }
            source.finish()
            return source
        } catch {
            try? folder.remove(source.item.name)
            return nil
        }
    }

    /// Returns the folder at these names below the root, created if it is missing.
    private func folder(_ names: some Sequence<String>) throws(PosixError) -> Folder {
        var folder = root
        var path: [String] = []
        for name in names {
            path.append(name)
            folders.insert(path)
            folder = try folder.makeFolder(name)
        }
        return folder
    }

    func write(_ bytes: [UInt8], to names: [String]) async throws(ExportError) {
        guard let name = names.last else { return }
        try root.attempt { () throws(PosixError) in
            let folder = try folder(names.dropLast())
            files.append(names)
            try folder.write([bytes], to: name)
        }
    }

    /// Moves the folder into its place, durably. An empty folder there is replaced; the kernel refuses any other.
    func publish() throws(ExportError) {
        try parent.attempt { () throws(PosixError) in try root.syncFileSystem() }
        do {
            try parent.rename(temporaryName, to: name)
        } catch {
            throw ExportError(
                .conflict, "make", path, "\(path) was created by another program at the same time: \(error)")
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
