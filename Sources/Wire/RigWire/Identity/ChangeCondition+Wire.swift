public import CaptureModel
public import FoundationEssentials
public import RigProtocol

extension ChangeCondition {
    public init(wire: WireConditionalChange) throws(WireError) {
        let reader = FieldReader("ConditionalChange")
        let versions = try reader.list(wire.versions, "versions", limit: ChangeCondition.limit)
        self.init(
            try versions.map { (version) throws(WireError) in
                try reader.present(try reader.version(version, "versions"), "versions")
            })
    }

    /// A request to make a change if the condition holds.
    public func wire(of change: WireClientRequest.OneOf_Body) -> WireConditionalChange {
        var wire = WireConditionalChange()
        wire.versions = versions.map(\.wire)
        wire.change.body = change
        return wire
    }
}

extension FieldReader {
    /// Returns the version of something that conditions may be about; nil if the field is empty.
    public func version(_ bytes: Data, _ field: String) throws(WireError) -> ContentDigest? {
        guard !bytes.isEmpty else { return nil }
        guard let version = ContentDigest(bytes: bytes) else {
            throw invalid(field, "must have 32 bytes, and has \(bytes.count)")
        }
        return version
    }
}
