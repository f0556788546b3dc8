/// The build of libzmq that a process of the rig is linked with.
public struct BusLibrary: Hashable, Codable, Sendable {
    /// Such as `4.3.4`.
    public var version: String
    /// Whether no peer can abort the process.
    public var isHardened: Bool

    public init(version: String, isHardened: Bool) {
        self.version = version
        self.isHardened = isHardened
    }
}
