public import KeyFiles
public import PosixSupport
public import ZeroMQ

/// The file of a person's contexts, `contexts.json` in `$XDG_CONFIG_HOME/caprig` (mode 0600 in a folder of mode 0700).
///
/// The file is not a secret, but who can change it can send the person's commands to another coordinator, so it is checked as keys are. A file
/// that cannot be read is never replaced. Every call blocks on the disk.
public struct ContextFile: Sendable {
    /// The folder of the contexts.
    public let folder: String
    private let fault: FileFault?
    private static let name = "contexts.json"

    public init(in folder: String, fault: FileFault? = nil) {
        self.folder = folder
        self.fault = fault
    }

    /// Finds the folder: `$XDG_CONFIG_HOME/caprig`, otherwise `$HOME/.config/caprig`. A variable that is not an absolute path counts as
    /// unset ([XDG Base Directory](https://specifications.freedesktop.org/basedir-spec/latest/)).
    /// - Throws: ``ContextError/Code/noHome``.
    public init(environment: [String: String], fault: FileFault? = nil) throws(ContextError) {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let base = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map({ "\($0)/.config" }) else {
            throw ContextError(
                .noHome, "find", "the contexts", "neither XDG_CONFIG_HOME nor HOME is an absolute path",
                remedy: "set HOME to your home folder")
        }
        self.init(in: "\(base)/caprig", fault: fault)
    }

    /// The path of the file.
    public var path: String { "\(folder)/\(Self.name)" }

    /// The file for the person's own key of a context.
    public func keyFile(of context: ContextName) throws(KeyFileError) -> KeyFile {
        try KeyFile("\(context).key_secret", in: "\(folder)/keys", environment: [:], fault: fault)
    }

    /// Reads the contexts. Without a file there are none.
    public func load() throws(ContextError) -> ContextList {
        let opened = try attempt { () throws(KeyFileError) in
            try PrivateFolder.open(folder, for: .owner, to: Self.reading, fault: fault)
        }
        return try opened.map { opened throws(ContextError) in try list(in: opened) } ?? ContextList()
    }

    /// Changes the contexts. The file has the complete old or the complete new ones at every moment, and after a crash at any. If `change`
    /// changes nothing, nothing is written.
    /// - Throws: ``ContextError/Code/inaccessible`` with the cause ``KeyFileError/Code/inUse`` if another process is changing them.
    @discardableResult
    public func update<Result>(
        _ change: (inout ContextList) throws(ContextError) -> Result
    ) throws(ContextError) -> Result {
        let made = try attempt { () throws(KeyFileError) in
            try PrivateFolder.make(folder, for: .owner, to: Self.writing, fault: fault)
        }
        let lock = try attempt { () throws(KeyFileError) in try made.lock(Self.name, to: Self.writing) }
        defer { withExtendedLifetime(lock) {} }
        let before = try list(in: made)
        var list = before
        let result = try change(&list)
        guard list != before else { return result }
        let content = try ContextDocument.encoded(list, for: path)
        let isWritten = try attempt { () throws(KeyFileError) in
            try made.publish(content, as: Self.name, tag: "next", .replacing, to: Self.writing) != nil
        }
        guard isWritten else {
            throw ContextError(
                .inaccessible, Self.writing, path, "another process removes files of the folder",
                remedy: "repeat the command")
        }
        return result
    }

    /// Keeps a coordinator's new key. Changes nothing if the context is gone, or has another key than `old` by now.
    public func replaceCoordinatorKey(
        of name: ContextName, _ old: CurvePublicKey, with new: CurvePublicKey
    ) throws(ContextError) {
        try update { list throws(ContextError) in
            guard var known = list[name], known.coordinatorKey == old else { return }
            known.coordinatorKey = new
            try list.put(known)
        }
    }

    private static let reading = "read the contexts"
    private static let writing = "change the contexts"

    private func list(in folder: PrivateFolder) throws(ContextError) -> ContextList {
        let found = try attempt { () throws(KeyFileError) in
            try folder.read(Self.name, limit: ContextDocument.byteLimit, to: Self.reading)
        }
        return try found.map { found throws(ContextError) in
            try ContextDocument.contexts(in: found.bytes, of: path)
        } ?? ContextList()
    }

    private func attempt<Result>(_ work: () throws(KeyFileError) -> Result) throws(ContextError) -> Result {
        do {
            return try work()
        } catch {
            throw ContextError(error)
        }
    }
}
