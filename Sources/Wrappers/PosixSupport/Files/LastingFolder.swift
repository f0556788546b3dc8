internal import CPosix
internal import Glibc

/// A folder that a program keeps open for as long as it runs, and opens again if somebody has removed, moved or replaced it.
///
/// Safe from any thread.
public final class LastingFolder: Sendable {
    private struct State: Sendable {
        var folder: Folder
        var losses = 0
    }

    private let name: String
    private let parent: Folder
    private let state: Locked<State>

    /// Opens the folder, creates it if it is missing, and makes its name durable.
    public init(_ name: String, in parent: Folder) throws(PosixError) {
        self.name = name
        self.parent = parent
        state = Locked(State(folder: try parent.makeDurableFolder(name)))
    }

    /// The folder, as it was when ``refresh()`` last looked.
    public var folder: Folder { state.withLock { $0.folder } }

    /// How often the folder was gone.
    public var losses: Int { state.withLock { $0.losses } }

    public var path: String { parent.path(of: name) }

    /// Compares the open folder with that of its name, and if they differ, opens that one, which is created if it is missing.
    /// - Returns: Whether they differed. What was in the folder is lost then.
    @discardableResult
    public func refresh() throws(PosixError) -> Bool {
        // Under the lock, so that of several threads one creates it and counts it.
        try state.withLock { state throws(PosixError) in
            guard try !state.folder.has(name, in: parent) else { return false }
            state.folder = try parent.makeDurableFolder(name)
            state.losses += 1
            return true
        }
    }
}

extension Folder {
    /// Whether this open folder has the name in `parent`.
    fileprivate func has(_ name: String, in parent: Folder) throws(PosixError) -> Bool {
        var (own, found) = (stat(), stat())
        let result = unsafe caprig_fstat(descriptor.rawValue, &own)
        guard result == 0 else { throw PosixError(code: -result, operation: "examine", subject: path) }
        let other = unsafe caprig_lstatat(parent.descriptor.rawValue, name, &found)
        guard other == 0 || other == -ENOENT else { throw parent.failure(-other, "examine", name) }
        return other == 0 && own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }
}
