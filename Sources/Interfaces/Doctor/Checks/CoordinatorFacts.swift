public import PosixSupport
public import RigConfiguration

/// A node's coordinator, as its machine reaches it.
public struct CoordinatorFacts: Hashable, Sendable {
    public var endpoint: TCPEndpoint
    /// Why its host has no address; nil if it has one.
    public var obstacle: String?
    /// What answers at each channel that a node uses.
    public var channels: [Channel]
    public var keys: Keys
    /// The network interface by which it is reached; nil if it is unknown.
    public var interface: String?

    public struct Channel: Hashable, Sendable {
        public var channel: CoordinatorPort
        public var port: UInt16
        public var answer: TCPCheck.Answer

        public init(_ channel: CoordinatorPort, port: UInt16, _ answer: TCPCheck.Answer) {
            self.channel = channel
            self.port = port
            self.answer = answer
        }
    }

    /// The node's key and what the coordinator says to it.
    public enum Keys: Hashable, Sendable {
        /// The machine has not joined.
        case missing
        /// A sentence with the reason and what to do.
        case unusable(String)
        /// Nobody said anything.
        case unanswered
        case admitted
        /// With the coordinator's sentence, if there is one.
        case refused(String?)
        /// The program there ends every connection before it has proved the key of the coordinator that this machine has joined.
        case foreign
    }

    public init(
        _ endpoint: TCPEndpoint, obstacle: String? = nil, channels: [Channel] = [], keys: Keys = .admitted,
        interface: String? = nil
    ) {
        self.endpoint = endpoint
        self.obstacle = obstacle
        self.channels = channels
        self.keys = keys
        self.interface = interface
    }
}

extension CoordinatorFacts {
    public static let checks: [Check<CoordinatorFacts>] = [
        { CheckOutcome($0.name) }, { $0.control }, { $0.others }, { $0.key }, { $0.packets },
    ]

    private var subject: String { "coordinator \(endpoint)" }
    private var isHere: Bool { endpoint.isLoopback }
    private var there: String { isHere ? "" : "on \(endpoint.host): " }

    private var name: Finding? {
        obstacle.map { obstacle in
            .problem(
                .hostUnresolved, subject, "'\(endpoint.host)' has no address: \(obstacle)",
                fix:
                    "`getent hosts \(endpoint.host)` must print one: add the name to /etc/hosts, or set `coordinator` to an address"
            )
        }
    }

    private var control: CheckOutcome {
        guard let control = channels.first(where: { $0.channel == .control }) else { return .unknown }
        switch control.answer {
        case .open: return .fine
        case .refused:
            return .found(
                .problem(
                    .coordinatorClosed, subject, "no program listens on TCP port \(control.port) there",
                    fix: there + "systemctl enable --now capcoordd"
                        + (isHere ? "" : "; if it runs, set `listen.host: '*'` in its configuration")))
        case .silent:
            return .found(
                .problem(
                    .coordinatorSilent, subject,
                    "nothing answers: the machine is off, or a firewall drops TCP port \(control.port)",
                    fix: "ping -c 3 \(endpoint.host); if it answers, \(there)\(opening([control]))"))
        case .failed(let error):
            return .found(
                .problem(
                    .coordinatorSilent, subject, "it cannot be reached: \(error.reason)",
                    fix: "ip route get \(endpoint.host)"))
        }
    }

    /// The ports besides the control channel's. A firewall that opens one of them alone leaves a node that never synchronizes.
    private var others: CheckOutcome {
        guard let control = channels.first(where: { $0.channel == .control }), case .open = control.answer else {
            return .unknown
        }
        let closed = channels.filter { channel in
            if case .open = channel.answer { return false }
            return channel.channel != .control
        }
        guard !closed.isEmpty else { return .fine }
        let names = closed.map { "\($0.channel) (\($0.port))" }.joined(separator: ", ")
        return .found(
            .problem(
                .channelClosed, subject, "its control channel is open, and these are not: \(names)",
                fix: there + opening(closed)))
    }

    private func opening(_ channels: [Channel]) -> String {
        let ports = channels.map { String($0.port) }.joined(separator: ", ")
        return "nft add rule inet filter input tcp dport '{ \(ports) }' accept"
    }

    private var key: CheckOutcome {
        switch keys {
        case .admitted: return .fine
        case .unanswered: return .unknown
        case .missing:
            return .found(
                .problem(
                    .keyMissing, subject, "this machine has not joined its rig",
                    fix: "there: capctl node invite NAME; here: capagentd join CODE"))
        case .unusable(let sentence):
            return .found(
                .problem(.keyUnusable, "keys of this node", sentence, fix: "ls -la, then what the sentence says"))
        case .refused(let sentence):
            return .found(
                .problem(
                    .keyRefused, subject, sentence ?? "it does not admit this node's key",
                    fix: "there: capctl node invite NAME; here: capagentd join CODE"))
        case .foreign:
            return .found(
                .problem(
                    .wrongCoordinator, subject,
                    "the program there ends each connection before it proves the key of the coordinator that this machine has joined: it is another one, or its machine is too busy",
                    fix:
                        "examine again; set `coordinator` to that one; to change rigs: capctl node invite NAME there, capagentd join CODE here"
                ))
        }
    }

    /// What every network carries (IPv6's minimum). Below it, long messages stand still where something drops notices of the size.
    private static let fewestPacketBytes = 1280

    private var packets: CheckOutcome {
        let sizes = channels.compactMap { channel -> Int? in
            guard case .open(let connection) = channel.answer else { return nil }
            return connection.packetBytes
        }
        guard let size = sizes.min() else { return .unknown }
        guard size < Self.fewestPacketBytes else { return .fine }
        return .found(
            .warning(
                .packetsSmall, subject,
                "packets to it have at most \(size) bytes (MTU); pictures take long or stand still",
                fix: "ip link set dev \(interface ?? "INTERFACE") mtu 1500"))
    }
}
