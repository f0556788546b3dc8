internal import CZeroMQ

/// A build of libzmq.
public struct ZeroMQLibrary: Hashable, Sendable {
    /// Its version, such as `4.3.4`.
    public let version: String
    /// The names of the patches that `tools/libzmq` has built it with; empty where it comes from somebody else.
    public let patches: [String]

    /// Whether it survives a peer that disconnects and leaves a full queue with a heartbeat in it: others abort the process.
    public var isHardened: Bool { patches.contains("no-output-after-io-error") }

    /// The one that this process is linked with. The library itself is asked, whatever the build was told.
    public static let linked = ZeroMQLibrary(version: linkedVersion(), patches: linkedPatches())

    init(version: String, patches: [String]) {
        self.version = version
        self.patches = patches
    }

    private static func linkedVersion() -> String {
        var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
        unsafe zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    private static func linkedPatches() -> [String] {
        guard let names = unsafe czmq_library_mended() else { return [] }
        return unsafe String(cString: names).split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
}
