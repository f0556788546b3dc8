internal import PosixSupport

/// The folder of an export, made under a name of its own beside its place and put there in one step.
final class ExportFolder {
    let path: String
    private let parent: Folder
    private let name: String
    private let temporaryName: String
    private let root: Folder
    /// What was made, to be taken away again, as names from the root. Kept by name, since a descriptor for each folder may
    /// be more than a process has.
    private var folders: Set<[String]> = []
    private var files: [[String]] = []

    /// - Throws: `conflict` where something is in its place.
    init(_ path: String, fault: FileFault? = nil) throws(ExportError) {
        let parts = path.split(separator: "/")
        guard let last = parts.last, last != ".", last != ".." else {
            throw ExportError(.conflict, "make", path, "an export needs a folder of its own; '\(path)' is none")
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

    /// The folder at these names below the root, made where missing.
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

    /// Notes a file that is going to be there.
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

    /// Puts the folder into its place, durably. An empty folder there is replaced; the kernel refuses any other.
    func publish() throws(ExportError) {
        try parent.attempt { () throws(PosixError) in try root.syncFileSystem() }
        do {
            try parent.rename(temporaryName, to: name)
        } catch {
            throw ExportError(.conflict, "make", path, "something has come to \(path) meanwhile: \(error)")
        }
        try parent.attempt { () throws(PosixError) in try parent.sync() }
    }

    /// Takes away what was made, as far as that is possible.
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
                "\(parent.path(of: name)) is there already; an export is never mixed with what is there")
        }
    }
}
