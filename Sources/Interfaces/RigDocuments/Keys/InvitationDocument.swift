internal import CaptureModel
internal import PosixSupport
public import RigClient
public import RigSecurity

/// A new invitation: `capctl node invite` and `capctl keys invite`.
public struct InvitationDocument: Encodable, Sendable {
    var code: String
    /// What to run on the machine.
    public var command: String
    var expires: String
    var name: String
    var rig: String
    var role: String

    /// - Parameter code: A secret until it is used.
    public init(_ invitation: KeyInvitation, code: JoinCode) {
        self.code = code.text
        command = invitation.role == .node ? "capagentd join \(code.text)" : "capctl join \(code.text)"
        expires = invitation.expiresAt.description
        name = invitation.name.rawValue
        rig = code.rig.rawValue
        role = invitation.role.rawValue
    }
}
