internal import CaptureModel
internal import Doctor
internal import PosixSupport
internal import RigClient
internal import RigConfiguration
internal import RigDocuments

/// What the coordinator says of a rig, and what this machine reaches of it.
struct RigFacts {
    var status: RigStatus
    var devices: [DeviceStatus]
    /// Whether the coordinator is on this machine, so that loopback is where its nodes may be.
    var isLocal: Bool
    /// What answers at the endpoints of live pictures; nil for nodes that were not asked.
    var frames: [NodeName: TCPCheck.Answer] = [:]

    /// Performs all checks.
    func examined() -> Examination {
        var examination = Examination()
        examination.perform(Self.checks, on: self)
        examination.perform(NodeFacts.checks, on: nodes.filter(\.status.isConnected))
        examination.perform(DeviceFacts.checks, on: devices.map(DeviceFacts.init))
        examination.perform(BusFacts.checks, on: buses)
        return examination
    }

    private var nodes: [NodeFacts] {
        status.nodes.map { node in
            NodeFacts(status: node, coordinator: status.software, isLocal: isLocal, frames: frames[node.node])
        }
    }

    private var buses: [BusFacts] {
        NodeLoad.ofNodes(devices).sorted { $0.key < $1.key }.flatMap { node, load in
            load.buses.map { bus in
                BusFacts(
                    number: bus.number, limitBytesPerSecond: bus.limitBytesPerSecond,
                    bytesPerSecond: bus.bytesPerSecond,
                    cameras: devices.filter { $0.isOn(bus, of: node) }.map(\.device.id.description))
            }
        }
    }

    private static let checks: [Check<RigFacts>] =
        [{ $0.libraryUse }, { $0.libraryRoom }, { $0.retention }, { $0.coordinatorLibrary }, { $0.ownVersion }]
        + [{ $0.absence }]

    private static let subject = "coordinator"

    private var libraryUse: CheckOutcome {
        let fix = "on the coordinator: capcoordd doctor"
        if let silence = status.librarySilence {
            return .found(
                Finding(
                    .libraryUnusable, .problem, "library",
                    "its disk has not answered for \(silence.shortText); files wait in the nodes' spools",
                    fix: "on the coordinator: `dmesg` and `df`; then capcoordd doctor"))
        }
        guard let problem = status.libraryProblem else { return .fine }
        return .found(Finding(.libraryUnusable, .problem, "library", problem.message, fix: fix))
    }

    /// A day of pictures of a small rig.
    private static let smallLibraryBytes: Int64 = 2_000_000_000

    private var libraryRoom: CheckOutcome {
        guard status.libraryProblem == nil, status.librarySilence == nil else { return .unknown }
        guard status.libraryFreeBytes < Self.smallLibraryBytes else { return .fine }
        return .found(
            Finding(
                .libraryNearlyFull, .warning, "library",
                "its disk has \(Decimals.byteText(status.libraryFreeBytes)) free",
                fix:
                    "capctl shots list --limit 1000 shows what is there; put the library on a larger disk, or remove shots"
            ))
    }

    /// Shots that people have annotated stay on purpose, and those in progress for a moment.
    private var retention: CheckOutcome {
        guard let retention = status.retention else { return .fine }
        let stuck = [.onlyCopy, .failed].contains { retention.heldBack[$0] != nil } || retention.lackingBytes > 0
        guard stuck else { return .fine }
        return .found(
            Finding(
                .retentionHeldBack, .warning, "library", "retention (\(retention.summary))",
                fix: "keep another copy and name it in `library.copy`, delete shots with capctl shots delete, or set "
                    + "library.keep.onlyCopies: delete"))
    }

    private var coordinatorLibrary: CheckOutcome {
        abortability(status.busLibrary?.isHardened, of: Self.subject, "caprig-coordinator")
    }

    private var ownVersion: CheckOutcome {
        guard let theirs = Version(status.software), let own = Version(CapctlProgram.version) else { return .unknown }
        guard theirs != own else { return .fine }
        return .found(
            Finding(
                .versionsDiffer, .warning, "capctl",
                "it is version \(own.text), and the coordinator is version \(theirs.text)",
                fix:
                    "on the machine of the older one: apt update && apt install --only-upgrade caprig-cli caprig-coordinator"
            ))
    }

    /// One finding for all nodes that are away: a rig that is packed up has many.
    private var absence: CheckOutcome {
        let away = status.nodes.filter { !$0.isConnected }
        guard !away.isEmpty else { return .fine }
        let names = away.map { node in
            node.lastHeard.map { "\(node.node) (\((status.now - $0).shortText) ago)" } ?? "\(node.node) (never heard)"
        }
        return .found(
            Finding(
                .nodeAway, .problem, away.count == 1 ? "node \(away[0].node)" : "nodes",
                "away: \(names.joined(separator: ", "))",
                fix:
                    "on that machine: systemctl start capagentd; then capagentd doctor says why it does not reach the coordinator"
            ))
    }
}

extension DeviceStatus {
    fileprivate func isOn(_ bus: NodeLoad.Bus, of node: NodeName) -> Bool {
        device.id.node == node && condition.session?.cost?.bus?.number == bus.number
    }
}

/// The version of a program, the last word of its name: `caprig-agent 0.1.0`.
struct Version: Equatable {
    let text: String

    init?(_ software: String) {
        guard let word = software.split(separator: " ").last, word.first?.isNumber == true else { return nil }
        text = String(word)
    }
}

/// Whether a peer can abort a process.
/// - Parameters:
///   - isHardened: Whether its libzmq prevents that; nil if it does not report it.
///   - package: The Debian package of a program whose libzmq does.
private func abortability(_ isHardened: Bool?, of subject: String, _ package: String) -> CheckOutcome {
    guard let isHardened else { return .unknown }
    guard !isHardened else { return .fine }
    return .found(
        Finding(
            .libraryAbortable, .warning, subject, "any peer can abort it through its libzmq",
            fix:
                "on its machine: apt install \(package), or in the sources: make release, which links a libzmq that is mended"
        ))
}

/// A connected node, as the coordinator reports it.
private struct NodeFacts {
    var status: NodeStatus
    /// The coordinator's software.
    var coordinator: String
    var isLocal: Bool
    /// What answers at its live pictures.
    var frames: TCPCheck.Answer?

    static let checks: [Check<NodeFacts>] = [
        { $0.clock }, { $0.clockAgreement }, { $0.spool }, { $0.pressure },
        { abortability($0.status.busLibrary?.isHardened, of: $0.subject, "caprig-agent") },
        { $0.version }, { $0.framesHost }, { $0.framesReach },
    ]

    private var subject: String { "node \(status.node)" }
    private var there: String { "on \(status.node): " }

    /// Half a frame at 50 frames per second.
    private static let largestBound = Duration.milliseconds(10)

    private var clock: CheckOutcome {
        guard let bound = status.clockBound else {
            return .found(
                Finding(
                    .nodeUnsynchronized, .problem, subject,
                    "its clock is not synchronized with the rig, so it takes no pictures",
                    fix: there + "capagentd doctor; the coordinator's clock port must be open"))
        }
        guard bound > Self.largestBound else { return .fine }
        return .found(
            Finding(
                .clockUncertain, .warning, subject,
                "its clock is known to ± \(bound.shortText) only, and so are the instants of its pictures",
                fix: there + "ping -c 20 COORDINATOR shows the delay; use a cable instead of Wi-Fi"))
    }

    private var clockAgreement: CheckOutcome {
        guard let clock = status.clock else { return .unknown }
        guard let conflict = clock.conflict else { return .fine }
        return .found(
            Finding(
                .clockContradicted, .warning, subject, conflict.summary,
                fix: there + "\(conflict.reference.source.question), and the same on the coordinator's machine"))
    }

    private var spool: CheckOutcome {
        guard let shortage = status.spoolShortage else { return .fine }
        return .found(
            Finding(
                .spoolShort, .problem, subject, shortage,
                fix: "capctl spool list --node \(status.node); \(there)capagentd doctor"))
    }

    private var pressure: CheckOutcome {
        guard let pressure = status.pressure else { return .unknown }
        guard pressure.level >= .serious else { return .fine }
        return .found(
            Finding(
                .machineOverloaded, pressure.level >= .critical ? .problem : .warning, subject,
                "under \(pressure.level.rawValue) pressure\(pressure.reason.map { ": \($0)" } ?? "")",
                fix: there + "top; stop other programs, or set smaller formats or lower rates"))
    }

    private var version: CheckOutcome {
        guard let own = Version(status.software), let theirs = Version(coordinator) else { return .unknown }
        guard own != theirs else { return .fine }
        return .found(
            Finding(
                .versionsDiffer, .warning, subject,
                "its agent is version \(own.text), and the coordinator is version \(theirs.text)",
                fix: there + "apt update && apt install --only-upgrade caprig-agent && systemctl restart capagentd"))
    }

    private var framesHost: CheckOutcome {
        guard let offered = status.frames else { return .unknown }
        guard ListenHost.isLoopback(offered.host) else { return .fine }
        // On the coordinator's machine, the node may be another program of it.
        if isLocal, frames.map(Self.isOpen) ?? true { return .unknown }
        return .found(
            Finding(
                .framesLoopback, .warning, subject,
                "its live pictures are for its own machine only (\(offered.endpoint))",
                fix: there + "set `frames.listen.host: '*'` in /etc/caprig/agent.yaml, then systemctl restart capagentd"
            ))
    }

    private static func isOpen(_ answer: TCPCheck.Answer) -> Bool {
        if case .open = answer { true } else { false }
    }

    private var framesReach: CheckOutcome {
        guard let answer = frames, let endpoint = status.frames, !ListenHost.isLoopback(endpoint.host) else {
            return .unknown
        }
        let why: String
        switch answer {
        case .open: return .fine
        case .refused: why = "no program listens there"
        case .silent:
            why = "nothing answers: a firewall drops TCP port \(endpoint.port), or the name has no address here"
        case .failed(let error): why = error.reason
        }
        return .found(
            Finding(
                .framesUnreachable, .warning, subject,
                "this machine does not reach its live pictures at \(endpoint.endpoint): \(why)",
                fix: there
                    + "nft add rule inet filter input tcp dport \(endpoint.port) accept; a fixed port: `frames.listen.port`"
            ))
    }
}

/// A device, as its node last reported it.
private struct DeviceFacts {
    var status: DeviceStatus

    init(_ status: DeviceStatus) {
        self.status = status
    }

    static let checks: [Check<DeviceFacts>] = [{ $0.state }, { $0.rate }, { $0.cost }]

    private var id: DeviceID { status.device.id }
    private var subject: String { "\(status.device.mediaType == .audio ? "microphone" : "camera") \(id)" }
    private var condition: DeviceCondition { status.condition }

    private var state: CheckOutcome {
        let reason = condition.reason ?? "it is \(condition.state.rawValue)"
        switch condition.state {
        case .running: return interruption
        case .starting, .unreachable: return .unknown
        case .stopped: return condition.deliberateStop == nil ? interruption : .fine
        case .denied:
            return .found(
                Finding(
                    .cameraDenied, .problem, subject, reason,
                    fix: "on \(id.node): capagentd doctor names the group or rule"))
        case .absent, .busy:
            let fix =
                condition.state == .absent
                ? "plug it in; on \(id.node): capagentd --list-devices" : "on \(id.node): fuser -v /dev/video*"
            return .found(Finding(.cameraInterrupted, .problem, subject, reason, fix: fix))
        case .stalled, .failed:
            return .found(
                Finding(
                    .cameraFailed, .problem, subject, reason,
                    fix: "capctl resume \(id); on \(id.node): capagentd doctor"))
        case .notConfigured:
            return .found(
                Finding(
                    .cameraNotConfigured, .warning, subject, "its node no longer has it",
                    fix: "capctl devices forget \(id)"))
        }
    }

    private var interruption: CheckOutcome {
        guard let interruption = condition.session?.interruption, interruption != .largerPhoto else { return .fine }
        return .found(
            Finding(
                .cameraInterrupted, .problem, subject, condition.reason ?? "interrupted: \(interruption.rawValue)",
                fix: "capctl devices show \(id)"))
    }

    private var rate: CheckOutcome {
        guard condition.state == .running, let format = condition.format, let interval = condition.frameInterval else {
            return .unknown
        }
        guard format.isSlower(interval) else { return .fine }
        let rates = [interval, format.frameInterval].map { Decimals.text(1 / max($0.seconds, 1e-9), digits: 1) }
        return .found(
            Finding(
                .cameraSlow, .warning, subject, "it delivers \(rates[0]) of \(rates[1]) frames per second",
                fix:
                    "capctl settings set exposureDynamicFrameRate=off --device \(id), and add light; or set a lower `framesPerSecond`"
            ))
    }

    private var cost: CheckOutcome {
        guard let cost = condition.session?.cost else { return .unknown }
        guard !cost.warnings.isEmpty else { return .fine }
        return .found(
            Finding(
                .cameraCostly, .warning, subject, cost.warnings.joined(separator: "; "),
                fix:
                    "set a smaller size, a lower rate or `pixelFormat: MJPG` at its `format` on \(id.node), or more `ring.memory`"
            ))
    }
}
