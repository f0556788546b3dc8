public import KeyFiles
internal import RigConfiguration

/// The files of a node's keys, as `AgentKeys` reads them.
public struct NodeKeys: Sendable {
    public let folder: String
    public let keyFile: KeyFile

    /// - Parameter environment: The variables of the process, for `CREDENTIALS_DIRECTORY`.
    public init(in folder: String, environment: [String: String]) throws(KeyFileError) {
        self.folder = folder
        keyFile = try KeyFile(KeyFile.agentName, in: folder, environment: environment)
    }

    /// Stores which coordinator the node has joined.
    public func store(_ joined: JoinedRig) throws(KeyFileError) {
        try CoordinatorKeyFile(in: folder, remedy: "").store(
            CoordinatorAddress(key: joined.coordinator, endpoint: joined.control.description),
            holder: "coordinator of rig \(joined.rig)")
    }
}
