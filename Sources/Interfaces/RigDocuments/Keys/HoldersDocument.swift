internal import CaptureModel
public import RigSecurity

/// Keys that a command has changed: `capctl keys approve` and `keys rename`.
public struct HoldersDocument: Encodable, Sendable {
    var keys: [HolderDocument]

    public init(_ holders: [KeyHolder]) {
        keys = holders.map(HolderDocument.init)
    }
}

/// The holder of a key.
struct HolderDocument: Encodable {
    var fingerprint: String
    var name: String
    var role: String

    init(_ holder: KeyHolder) {
        (name, role, fingerprint) = (holder.name.rawValue, holder.role.rawValue, "\(holder.key)")
    }
}
