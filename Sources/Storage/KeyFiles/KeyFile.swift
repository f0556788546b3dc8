internal import Glibc
public import PosixSupport
public import ZeroMQ

/// The file of a key pair: creates it, reads it, replaces it.
///
/// A file is read only if nobody but its audience can have read or written it, and only if its two keys belong together. Its content is that
/// of a pyzmq certificate with a secret key. Every call blocks on the disk.
public struct KeyFile: Sendable {
    /// The name of an agent's key file.
    public static let agentName = "agent.key_secret"

    /// The name of the file in its folder, and of the credential.
    public let name: String
    public let place: KeyPlace
    public let audience: Audience
    let fault: FileFault?

    /// Finds the place of the key.
    /// - Parameters:
    ///   - name: A plain name, such as `coordinator.key_secret`.
    ///   - folder: A folder for keys only, which is created if it is missing.
    ///   - audience: Who may read the key besides its owner. A credential has none.
    ///   - environment: The variables of the process, for `CREDENTIALS_DIRECTORY`; empty for a key that is never a credential.
    ///   - fault: For tests.
    public init(
        _ name: String, in folder: String, for audience: Audience = .owner, environment: [String: String],
        fault: FileFault? = nil
    ) throws(KeyFileError) {
        self.name = name
        self.fault = fault
        place = try KeyPlace.find(name, folder: folder, environment: environment, fault: fault)
        self.audience = place.canReplace ? audience : .owner
    }

    /// The path of the file.
    public var path: String { place.path.hasSuffix("/") ? place.path + name : "\(place.path)/\(name)" }

    /// Reads the key pair.
    public func load() throws(KeyFileError) -> CurveKeyPair {
        let folder: PrivateFolder? =
            if place.canReplace {
                try .open(place.path, for: audience, to: Self.reading, fault: fault)
            } else {
                try .ofCredentials(place.path, to: Self.reading, fault: fault)
            }
        guard let stored = try folder.map({ folder throws(KeyFileError) in try read(in: folder) }) ?? nil else {
            throw missing(Self.reading)
        }
        return stored.pair
    }

    /// Reads the key pair, or creates it if there is none. It is durable on return. If several processes create it at the same time, all
    /// return the same one.
    /// - Parameters:
    ///   - holder: Whose key it is, for people who read the file, such as `node left-arm`.
    ///   - now: The wall clock's time.
    public func loadOrCreate(holder: String, now: UTCDate) throws(KeyFileError) -> KeyOutcome {
        try loadOrCreate(holder: holder, now: now) { () throws(KeyFileError) in try generate(Self.creating) }
    }

    /// Creates the file of a key pair that was lost. It is durable on return.
    /// - Throws: ``KeyFileError/Code/inUse`` if the file has another pair.
    public func restore(_ pair: CurveKeyPair, holder: String, now: UTCDate) throws(KeyFileError) {
        let outcome = try loadOrCreate(holder: holder, now: now) { () throws(KeyFileError) in pair }
        guard outcome.pair.publicKey == pair.publicKey else {
            throw KeyFileError(
                .inUse, "restore the key", path, "there is another key",
                remedy: "if that one is no longer needed, move it away",
                command: KeyFileError.moving(path, to: ".other"))
        }
    }

    private func loadOrCreate(
        holder: String, now: UTCDate, making: () throws(KeyFileError) -> CurveKeyPair
    ) throws(KeyFileError) -> KeyOutcome {
        guard place.canReplace else { return KeyOutcome(pair: try load(), isNew: false, sharing: .ownerOnly) }
        let folder = try PrivateFolder.make(place.path, for: audience, to: Self.keeping, fault: fault)
        for _ in 0..<Self.attemptLimit {
            if let stored = try read(in: folder) {
                folder.removeLeftovers(of: name)
                // Its creator may have been stopped before the file's name was durable.
                try folder.rule.attempt(Self.reading, path) { () throws(PosixError) in try folder.folder.sync() }
                return KeyOutcome(pair: stored.pair, isNew: false, sharing: folder.sharing(of: stored.status, name))
            }
            let pair = try making()
            let content = KeyFileText.secret(pair, of: holder, created: now)
            if let sharing = try folder.publish(content, as: name, tag: pair.tag, .creating, to: Self.creating) {
                return KeyOutcome(pair: pair, isNew: true, sharing: sharing)
            }
        }
        throw KeyFileError(
            .inUse, Self.creating, path, "other processes create and remove it all the time",
            remedy: "end the other processes that use this folder")
    }

    static let reading = "read the key"
    private static let creating = "create the key"
    /// What its folder is for, whether or not the key exists.
    private static let keeping = "keep the key in"
    /// Another attempt is needed only if another process was faster, and it then finds that one's key.
    private static let attemptLimit = 100

    func missing(_ operation: String) -> KeyFileError {
        KeyFileError(
            .missing, operation, path, "there is no such file",
            remedy: "start the daemon, which creates its key, or join the rig with a code, which creates yours")
    }

    /// Reads and checks the file; nil if it does not exist.
    func read(in folder: PrivateFolder) throws(KeyFileError) -> (pair: CurveKeyPair, status: FileStatus)? {
        try read(name, in: folder)
    }

    /// Reads and checks a key file of the folder; nil if it does not exist.
    func read(
        _ name: String, in folder: PrivateFolder
    ) throws(KeyFileError) -> (pair: CurveKeyPair, status: FileStatus)? {
        guard let file = try folder.read(name, limit: KeyFileText.byteLimit, to: Self.reading) else { return nil }
        return (try Self.pair(in: file.bytes, of: folder.path(of: name)), file.status)
    }

    func generate(_ operation: String) throws(KeyFileError) -> CurveKeyPair {
        do {
            return try CurveKeyPair.generate()
        } catch {
            throw .noCurve(error, operation, path)
        }
    }
}

/// A key pair and what became of its file.
public struct KeyOutcome: Sendable {
    public let pair: CurveKeyPair
    /// Whether this call created it.
    public let isNew: Bool
    public let sharing: KeySharing
}

extension CurveKeyPair {
    /// Distinguishes the unfinished files of several key pairs. Part of the public key, in hexadecimal digits.
    var tag: String {
        publicKey.bytes.prefix(8).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
