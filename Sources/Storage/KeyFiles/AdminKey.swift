public import PosixSupport
public import ZeroMQ

/// The key with which members of a group administer the coordinator of their own machine, without having joined it.
///
/// A folder of its own (mode 0750, group ``groupName``) has the key pair (0640), and the coordinator's public key with its endpoint. The
/// coordinator creates both. Where the group does not exist, only the coordinator's user can read them.
public struct AdminKey: Sendable {
    /// The group whose members are administrators.
    public static let groupName = "caprig-admin"
    /// The folder of a coordinator that runs as a service.
    public static let serviceFolder = "/var/lib/caprig/coordinator/admin"

    public let keyFile: KeyFile
    private let folder: String
    private static let coordinatorName = "coordinator.key"

    /// - Parameter group: The group's name.
    public init(in folder: String, group: String = AdminKey.groupName, fault: FileFault? = nil) throws(KeyFileError) {
        self.folder = folder
        keyFile = try KeyFile("admin.key_secret", in: folder, for: .group(group), environment: [:], fault: fault)
    }

    /// Stores how to reach the coordinator, for programs that use this key.
    /// - Parameters:
    ///   - holder: Whose key it is, for people, such as `coordinator of rig barn`.
    ///   - endpoint: Where clients connect to, such as `tcp://192.168.10.1:7713`.
    public func publish(_ coordinator: CurvePublicKey, holder: String, endpoint: String) throws(KeyFileError) {
        let operation = "store the coordinator's public key"
        let folder = try PrivateFolder.make(folder, for: keyFile.audience, to: operation, fault: keyFile.fault)
        let content = KeyFileText.public(coordinator, of: holder, [("endpoint", endpoint)])
        let name = Self.coordinatorName
        let lock = try folder.lock(name, to: operation)
        defer { withExtendedLifetime(lock) {} }
        guard try folder.publish(content, as: name, tag: "next", .replacing, to: operation) != nil else {
            throw KeyFileError(
                .inUse, operation, folder.path(of: name), "another process removes files of it",
                remedy: "end the other processes that use this folder")
        }
    }

    /// Reads the key pair and how to reach the coordinator.
    public func load() throws(KeyFileError) -> AdminAccess {
        let pair = try keyFile.load()
        let operation = "read the coordinator's public key"
        let folder = try PrivateFolder.open(folder, for: keyFile.audience, to: operation, fault: keyFile.fault)
        let name = Self.coordinatorName
        let stored = try folder?.read(name, limit: KeyFileText.byteLimit, to: operation)
        let path = "\(self.folder)/\(name)"
        guard let stored else {
            throw KeyFileError(
                .missing, operation, path, "there is no such file", remedy: "start the coordinator, which creates it")
        }
        let text: KeyFileText
        do {
            text = try KeyFileText(parsing: stored.bytes)
        } catch {
            throw Self.unreadable(error, operation, path)
        }
        guard let key = text.publicKey, let endpoint = text.metadata["endpoint"] else {
            throw Self.unreadable(.incomplete("it has no public-key or no endpoint"), operation, path)
        }
        return AdminAccess(pair: pair, coordinator: key, endpoint: endpoint)
    }

    private static func unreadable(
        _ flaw: KeyFileText.Flaw, _ operation: String, _ path: String
    ) -> KeyFileError {
        var error = KeyFileError.unreadable(flaw, path)
        error.operation = operation
        error.remedy = "restart the coordinator, which writes it again"
        error.command = nil
        return error
    }
}

/// What a program needs to administer the coordinator of its machine.
public struct AdminAccess: Sendable {
    public let pair: CurveKeyPair
    public let coordinator: CurvePublicKey
    /// Where clients connect to, as the coordinator wrote it.
    public let endpoint: String

    /// - Parameter endpoint: Such as `tcp://192.168.10.1:7713`.
    public init(pair: CurveKeyPair, coordinator: CurvePublicKey, endpoint: String) {
        self.pair = pair
        self.coordinator = coordinator
        self.endpoint = endpoint
    }
}
