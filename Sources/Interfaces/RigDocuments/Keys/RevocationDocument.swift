public import CaptureModel
public import RigSecurity

/// Keys that were revoked, and the nodes that may still let them watch: `capctl keys revoke`.
public struct RevocationDocument: Encodable, Sendable {
    var revoked: [HolderDocument]
    var unconfirmed: [NodeName]

    public init(_ revoked: [KeyHolder], unconfirmed: [NodeName]) {
        self.revoked = revoked.map(HolderDocument.init)
        self.unconfirmed = unconfirmed
    }
}
