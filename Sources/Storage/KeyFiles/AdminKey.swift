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
    private let coordinator: CoordinatorKeyFile

    /// - Parameter group: The group's name.
    public init(in folder: String, group: String = AdminKey.groupName, fault: FileFault? = nil) throws(KeyFileError) {
        coordinator = CoordinatorKeyFile(
            in: folder, for: .group(group), remedy: "restart the coordinator, which writes it", fault: fault)
        keyFile = try KeyFile("admin.key_secret", in: folder, for: .group(group), environment: [:], fault: fault)
    }

    /// Stores how to reach the coordinator, for programs that use this key.
    /// - Parameters:
    ///   - holder: Whose key it is, for people, such as `coordinator of rig barn`.
    ///   - endpoint: Where clients connect to, such as `tcp://192.168.10.1:7713`.
    public func publish(_ key: CurvePublicKey, holder: String, endpoint: String) throws(KeyFileError) {
        try coordinator.store(CoordinatorAddress(key: key, endpoint: endpoint), holder: holder)
    }

    /// Reads the key pair and how to reach the coordinator.
    public func load() throws(KeyFileError) -> AdminAccess {
        let pair = try keyFile.load()
        let address = try coordinator.load()
        return AdminAccess(pair: pair, coordinator: address.key, endpoint: address.endpoint)
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
