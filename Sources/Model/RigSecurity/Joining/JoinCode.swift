public import CaptureModel

/// The text that a person pastes to let a machine join a rig: where the coordinator is, its key, and a one-time token.
///
/// It is a secret until the token is redeemed or has expired. Because it brings the coordinator's key along, the joining
/// machine trusts no first connection.
///
/// The text is one word that chat programs and shells leave as it is. It has a checksum, and a check of its length, so
/// that a code that is cut off and one that is mistyped are told apart. `docs/protocol/join-code.md` has the format.
public struct JoinCode: Sendable, Equatable {
    /// The version of the text's format that this program writes and reads.
    public static let version = 1
    /// The most endpoints of a code.
    public static let endpointLimit = 8
    /// The most bytes of content.
    public static let byteLimit = 512
    /// The most characters of a code.
    public static let longest = JoinCodeText.prefix.count + 3 + CrockfordBase32.length(bytes: byteLimit + 5)

    /// Endpoints of the join socket, at least one, in the order in which they are tried.
    public let endpoints: [JoinEndpoint]
    public let coordinator: PublicKey
    public let token: JoinToken
    /// The name that the machine's key gets.
    public let name: KeyName
    public let role: Role
    public let rig: RigName

    /// - Throws: `tooLong` for no endpoint, for more than ``endpointLimit``, and for names that do not fit into
    ///   ``byteLimit``.
    public init(
        endpoints: [JoinEndpoint], coordinator: PublicKey, token: JoinToken, name: KeyName, role: Role, rig: RigName
    ) throws(SecurityError) {
        self.endpoints = endpoints
        self.coordinator = coordinator
        self.token = token
        self.name = name
        self.role = role
        self.rig = rig
        guard (1...Self.endpointLimit).contains(endpoints.count), content.count <= Self.byteLimit else {
            throw SecurityError(
                .tooLong, "make", "join code",
                "a join code has 1 to \(Self.endpointLimit) endpoints and at most \(Self.byteLimit) bytes; give fewer "
                    + "endpoints, or addresses instead of long names")
        }
    }

    /// Reads what a person pasted. Spaces, line ends, quotation marks around it and the case of letters do not matter.
    /// - Throws: `notACode`, `cutOff`, `mistyped`, `newerVersion`, `malformed` or `tooLong`, each with what to do.
    public init(_ text: String) throws(SecurityError) {
        self = try Self.parse(content: JoinCodeText.content(of: text))
    }

    /// The code to be pasted. A secret.
    public var text: String { JoinCodeText.text(of: content) }
}

/// Without the secret, so that a log cannot contain it.
extension JoinCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a join code of rig '\(rig)' for \(role.rawValue) '\(name)'" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
