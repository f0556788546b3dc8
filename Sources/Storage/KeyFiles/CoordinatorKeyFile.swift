public import PosixSupport
public import ZeroMQ

/// How a program recognizes and reaches a coordinator.
public struct CoordinatorAddress: Hashable, Sendable {
    public var key: CurvePublicKey
    /// Where the program connects to, such as `tcp://192.168.10.1:7713`.
    public var endpoint: String

    public init(key: CurvePublicKey, endpoint: String) {
        self.key = key
        self.endpoint = endpoint
    }
}

/// The file of a coordinator's public key, `coordinator.key`, with the endpoint of a channel. It is not a secret, but who can change it can send a
/// program to another coordinator, so it is checked as keys are. Every call blocks on the disk.
public struct CoordinatorKeyFile: Sendable {
    static let name = "coordinator.key"

    private let folder: String
    private let audience: Audience
    private let remedy: String
    private let fault: FileFault?

    /// - Parameter remedy: What to do if the file is missing or damaged, for messages.
    public init(in folder: String, for audience: Audience = .owner, remedy: String, fault: FileFault? = nil) {
        self.folder = folder
        self.audience = audience
        self.remedy = remedy
        self.fault = fault
    }

    /// The path of the file.
    public var path: String { "\(folder)/\(Self.name)" }

    /// Replaces the file in one step.
    /// - Parameter holder: Whose key it is, for people, such as `coordinator of rig barn`.
    public func store(_ address: CoordinatorAddress, holder: String) throws(KeyFileError) {
        let operation = "store the coordinator's public key"
        let folder = try PrivateFolder.make(folder, for: audience, to: operation, fault: fault)
        let content = KeyFileText.public(address.key, of: holder, [("endpoint", address.endpoint)])
        let lock = try folder.lock(Self.name, to: operation)
        defer { withExtendedLifetime(lock) {} }
        guard try folder.publish(content, as: Self.name, tag: "next", .replacing, to: operation) != nil else {
            throw KeyFileError(
                .inUse, operation, folder.path(of: Self.name), "another process removes files of it",
                remedy: "end the other processes that use this folder")
        }
    }

    /// Reads the file.
    public func load() throws(KeyFileError) -> CoordinatorAddress {
        let operation = "read the coordinator's public key"
        let folder = try PrivateFolder.open(folder, for: audience, to: operation, fault: fault)
        guard let stored = try folder?.read(Self.name, limit: KeyFileText.byteLimit, to: operation) else {
            throw KeyFileError(.missing, operation, path, "there is no such file", remedy: remedy)
        }
        let text: KeyFileText
        do {
            text = try KeyFileText(parsing: stored.bytes)
        } catch {
            throw unreadable(error, operation)
        }
        guard let key = text.publicKey, let endpoint = text.metadata["endpoint"] else {
            throw unreadable(.incomplete("it has no public-key or no endpoint"), operation)
        }
        return CoordinatorAddress(key: key, endpoint: endpoint)
    }

    private func unreadable(_ flaw: KeyFileText.Flaw, _ operation: String) -> KeyFileError {
        var error = KeyFileError.unreadable(flaw, path)
        error.operation = operation
        error.remedy = remedy
        error.command = nil
        return error
    }
}
