internal import RigConfiguration

/// An address on which a daemon listens, or will.
public struct ListenFacts: Hashable, Sendable {
    /// The program, which is also its unit: `capagentd`.
    public var program: String
    /// What listens there, such as `live pictures`.
    public var purpose: String
    /// The key of the configuration, such as `frames.listen`.
    public var setting: String
    /// As configured: a name, an address or `*`.
    public var host: String
    /// 0: any free port.
    public var port: UInt16
    public var state: State
    /// Whether the configuration names peers on other machines.
    public var hasRemotePeers: Bool

    public enum State: Hashable, Sendable {
        /// The port is free, or any.
        case free
        /// The daemon itself listens there.
        case own
        /// Another program has the port; its name if this user may know it.
        case taken(by: String?)
        /// This machine does not have the address, with the reason.
        case noAddress(String)
    }

    public init(
        _ program: String, _ purpose: String, setting: String, host: String, port: UInt16, state: State,
        hasRemotePeers: Bool
    ) {
        self.program = program
        self.purpose = purpose
        self.setting = setting
        self.host = host
        self.port = port
        self.state = state
        self.hasRemotePeers = hasRemotePeers
    }
}

extension ListenFacts {
    public static let checks: [Check<ListenFacts>] = [
        { CheckOutcome($0.address) }, { $0.availability }, { CheckOutcome($0.reach) },
    ]

    private var subject: String { "\(purpose) on \(host):\(port == 0 ? "any" : String(port))" }

    private var address: Finding? {
        guard case .noAddress(let reason) = state else { return nil }
        return .problem(
            .addressMissing, subject, reason,
            fix: "`ip -br address` lists this machine's addresses; set `\(setting).host` to one, or to '*' for all")
    }

    private var availability: CheckOutcome {
        guard port != 0 else { return .unknown }
        guard case .taken(let holder) = state else { return .fine }
        let who = holder.map { "'\($0)'" } ?? "another program"
        return .found(
            .problem(
                .portTaken, subject, "\(who) listens on TCP port \(port) already, so \(program) cannot",
                fix: "`ss -ltnp 'sport = :\(port)'` shows who; end that program, or set another port at `\(setting)`"))
    }

    private var reach: Finding? {
        guard hasRemotePeers, ListenHost.isLoopback(host) else { return nil }
        return .warning(
            .loopbackOnly, subject, "it listens for this machine only, so other machines see no \(purpose)",
            fix: "set `\(setting).host: '*'` in the configuration, then `systemctl restart \(program)`")
    }
}
