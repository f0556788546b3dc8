internal import CaptureModel
public import FoundationEssentials
public import RigProtocol
public import RigSecurity

extension KeyHolder {
    public init(wire: WireKeyHolder) throws(WireError) {
        let reader = FieldReader("KeyHolder")
        self.init(
            name: try reader.name(wire.name, "name"), role: try reader.word(wire.role, "role", as: Role.self),
            key: try reader.publicKey(wire.publicKey))
    }

    public var wire: WireKeyHolder {
        var wire = WireKeyHolder()
        wire.name = name.rawValue
        wire.role = role.rawValue
        wire.publicKey = Data(key.bytes)
        return wire
    }
}

extension FieldReader {
    /// Returns a public key from its bytes.
    public func publicKey(_ bytes: Data, _ field: String = "public_key") throws(WireError) -> PublicKey {
        guard bytes.count == PublicKey.byteCount else {
            throw invalid(field, "must have the \(PublicKey.byteCount) bytes of a key, and has \(bytes.count)")
        }
        guard let key = PublicKey(bytes: bytes) else {
            throw invalid(field, "is not a key: all of its bytes are 0")
        }
        return key
    }
}
