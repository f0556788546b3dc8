internal import CaptureModel
internal import PosixSupport
public import RigClient
internal import RigSecurity

/// A session of a browser or script behind a gateway: in `capctl web sessions` and `GET /sessions`.
public struct WebSessionDocument: Encodable, Sendable {
    var expires: String
    var id: String
    var issued: String
    var kind: String
    var label: String
    /// The name of the key that made it; absent in the answer to what made or ended it, and in an identity.
    var maker: String?
    var permissions: [String]

    public init(_ session: RigSession) {
        expires = session.expires.description
        id = session.id.description
        issued = session.issued.description
        kind = session.kind.rawValue
        label = session.label
        maker = session.maker?.name.rawValue
        permissions = Permission.allCases.filter(session.permissions.contains).map(\.rawValue)
    }
}
