public import CaptureModel
internal import FoundationEssentials
public import RigProtocol
public import RigSecurity

/// How a machine asks to be admitted.
public enum JoinMeans: Equatable, Sendable {
    /// With the token of a join code.
    case token(JoinToken)
    /// By the approval of an admin.
    case approval(KeyName, Role)
    /// It only asks whether it is admitted.
    case standing
}

extension JoinMeans {
    /// Reads the message of a machine.
    public init(wire: WireJoin) throws(WireError) {
        let reader = FieldReader("Join")
        try reader.version(wire.protocolVersion, "protocol_version", of: "the coordinator")
        switch try reader.present(wire.means, "means") {
        case .token(let bytes):
            guard let token = JoinToken(bytes: bytes) else {
                throw reader.invalid("token", "must have \(JoinToken.byteCount) bytes, and has \(bytes.count)")
            }
            self = .token(token)
        case .approval(let approval):
            let reader = FieldReader("Approval")
            let name: KeyName = try reader.name(approval.name, "name")
            self = .approval(name, try reader.word(approval.role, "role", as: Role.self))
        case .standing: self = .standing
        }
    }

    public var wire: WireJoin.OneOf_Means {
        switch self {
        case .token(let token): return .token(.init(token.bytes))
        case .approval(let name, let role):
            var approval = WireApproval()
            approval.name = name.rawValue
            approval.role = role.rawValue
            return .approval(approval)
        case .standing: return .standing(WireStanding())
        }
    }
}

/// What an admitted machine needs to connect.
public struct JoinAdmission: Hashable, Sendable {
    public var name: KeyName
    public var role: Role
    public var rig: RigName
    public var controlPort: UInt16
    public var clientPort: UInt16

    public init(name: KeyName, role: Role, rig: RigName, controlPort: UInt16, clientPort: UInt16) {
        self.name = name
        self.role = role
        self.rig = rig
        self.controlPort = controlPort
        self.clientPort = clientPort
    }
}

extension JoinAdmission {
    /// Reads the message of a coordinator.
    public init(wire: WireJoinAdmission) throws(WireError) {
        let reader = FieldReader("JoinAdmission")
        let ports: ClosedRange<Int64> = 1...Int64(UInt16.max)
        self.init(
            name: try reader.name(wire.name, "name"), role: try reader.word(wire.role, "role", as: Role.self),
            rig: try reader.name(wire.rig, "rig"),
            controlPort: UInt16(try reader.number(wire.controlPort, "control_port", in: ports)),
            clientPort: UInt16(try reader.number(wire.clientPort, "client_port", in: ports)))
    }

    public var wire: WireJoinAdmission {
        var wire = WireJoinAdmission()
        wire.name = name.rawValue
        wire.role = role.rawValue
        wire.rig = rig.rawValue
        wire.controlPort = UInt32(controlPort)
        wire.clientPort = UInt32(clientPort)
        return wire
    }
}
