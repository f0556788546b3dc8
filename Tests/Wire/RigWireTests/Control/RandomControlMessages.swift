import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigSecurity
import RigWire
import Testing

/// The kinds of ``NodeMessage``.
enum NodeMessageKind: CaseIterable {
    case hello, heartbeat, armed, refused, captured, missed, events, reply, problem, inventory

    init(_ message: NodeMessage) {
        switch message {
        case .hello: self = .hello
        case .heartbeat: self = .heartbeat
        case .prepareResult(let result): if case .success = result.outcome { self = .armed } else { self = .refused }
        case .captureResult(.captured): self = .captured
        case .captureResult(.missed): self = .missed
        case .events: self = .events
        case .deviceAnswer(let answer): if case .success = answer.outcome { self = .reply } else { self = .problem }
        case .inventory: self = .inventory
        }
    }
}

/// The kinds of ``CoordinatorMessage`` and of the orders in it.
enum CoordinatorMessageKind: CaseIterable {
    case welcome, refused, heartbeatAcknowledged, coordinatorKey, viewers
    case helloRequired, prepare, fire, cancel, acknowledgeEvents, listInventory, deviceRequest

    init(_ message: CoordinatorMessage) {
        switch message {
        case .welcome: self = .welcome
        case .refused: self = .refused
        case .heartbeatAcknowledged: self = .heartbeatAcknowledged
        case .coordinatorKey: self = .coordinatorKey
        case .viewers: self = .viewers
        case .order(.helloRequired): self = .helloRequired
        case .order(.prepare): self = .prepare
        case .order(.fire): self = .fire
        case .order(.cancel): self = .cancel
        case .order(.acknowledgeEvents): self = .acknowledgeEvents
        case .order(.listInventory): self = .listInventory
        case .order(.deviceRequest): self = .deviceRequest
        }
    }
}

/// Messages of the control channel whose every field is random.
extension SeededGenerator {
    /// A valid message of a node.
    mutating func nodeMessage(_ kind: NodeMessageKind, of node: NodeName) throws -> NodeMessage {
        switch kind {
        case .hello: .hello(try hello(of: node))
        case .heartbeat: .heartbeat(try heartbeat(of: node))
        case .armed:
            .prepareResult(PrepareResult(key: try captureKey(of: node), outcome: .success(resolvedSettings())))
        case .refused: .prepareResult(PrepareResult(key: try captureKey(of: node), outcome: .failure(problem())))
        case .captured: .captureResult(.captured(try report(of: node)))
        case .missed: .captureResult(.missed(try captureKey(of: node), problem()))
        case .events: .events(try eventBatch())
        case .reply:
            .deviceAnswer(
                DeviceAnswer(
                    number: anyNumber(), devices: try statuses(of: node), outcome: .success(pick(try deviceReplies()))))
        case .problem:
            .deviceAnswer(
                DeviceAnswer(number: anyNumber(), devices: try statuses(of: node), outcome: .failure(problem())))
        case .inventory: .inventory(try page(of: node, after: try maybe { try $0.captureKey(of: node) }))
        }
    }

    /// A valid message to a node.
    mutating func coordinatorMessage(_ kind: CoordinatorMessageKind, to node: NodeName) throws -> CoordinatorMessage {
        switch kind {
        case .welcome: .welcome(welcome())
        case .refused: .refused(problem())
        case .heartbeatAcknowledged: .heartbeatAcknowledged(sequence: anyNumber())
        case .coordinatorKey: .coordinatorKey(try publicKey())
        case .viewers:
            .viewers(
                AdmittedViewers(
                    revision: UInt64(number(WireLimits.nonNegative)),
                    holders: try list(0...4) { generator in
                        KeyHolder(
                            name: try generator.name(), role: generator.pick(Role.allCases),
                            key: try generator.publicKey())
                    }))
        case .helloRequired: .order(.helloRequired)
        case .prepare: .order(.prepare(try prepareOrder(to: node)))
        case .fire:
            .order(
                .fire(FireOrder(shot: shotID(), devices: try devices(of: node), stop: maybe { $0.rigTime() })))
        case .cancel: .order(.cancel(shotID(), try devices(of: node)))
        case .acknowledgeEvents: .order(.acknowledgeEvents(position()))
        case .listInventory: .order(.listInventory(after: try maybe { try $0.captureKey(of: node) }))
        case .deviceRequest:
            .order(
                .deviceRequest(
                    NumberedDeviceRequest(
                        number: anyNumber(),
                        request: .success(
                            DeviceRequest(
                                device: try deviceID(of: node),
                                timeout: .nanoseconds(number(1...WireLimits.deviceTimeout.upperBound)),
                                command: pick(try deviceCommands()),
                                id: maybe { UInt64.random(in: 1...UInt64.max, using: &$0) })))))
        }
    }

    private mutating func hello(of node: NodeName) throws -> NodeHello {
        NodeHello(
            software: word(), bootID: word(),
            busLibrary: maybe { BusLibrary(version: $0.word(), isHardened: Bool.random(using: &$0)) },
            devices: try statuses(of: node), rigClock: maybe { RigClockID(rawValue: $0.word()) },
            ringDepth: .nanoseconds(number(Int64.min...Int64.max)), frames: try maybe { try $0.framesStatus() },
            inventory: try page(of: node, after: nil))
    }

    private mutating func heartbeat(of node: NodeName) throws -> NodeHeartbeat {
        NodeHeartbeat(
            sequence: anyNumber(), devices: try statuses(of: node), rigClock: maybe { RigClockID(rawValue: $0.word()) },
            clockBound: maybe { .nanoseconds($0.number(Int64.min...Int64.max)) }, clock: maybe { $0.clockStatus() },
            ringDepth: .nanoseconds(number(Int64.min...Int64.max)), spoolUsedBytes: number(Int64.min...Int64.max),
            spoolFreeBytes: number(Int64.min...Int64.max), frames: try maybe { try $0.framesStatus() },
            pressure: maybe { generator in
                SystemPressure(
                    level: generator.pick(SystemPressure.Level.allCases),
                    factors: generator.list(0...3) { SystemPressure.Factor(rawValue: $0.word()) },
                    reason: generator.maybe { "a" + $0.sentence() })
            },
            spoolShortage: maybe { "a" + $0.sentence() })
    }

    private mutating func clockStatus() -> ClockStatus {
        ClockStatus(
            offset: .nanoseconds(number(Int64.min...Int64.max)), ratePartsPerBillion: number(Int64.min...Int64.max),
            roundTrip: .nanoseconds(number(0...Int64.max)), shortestRoundTrip: .nanoseconds(number(0...Int64.max)),
            source: pick(ClockStatus.Source.allCases),
            since: RigTime(nanoseconds: number(Int64.min...Int64.max)),
            newest: RigTime(nanoseconds: number(Int64.min...Int64.max)),
            congestedSince: maybe { RigTime(nanoseconds: $0.number(Int64.min...Int64.max)) },
            conflict: maybe { $0.clockConflict() })
    }

    private mutating func clockConflict() -> ClockConflict {
        ClockConflict(
            reference: ClockReference(
                source: pick(ClockReference.Source.allCases), identity: String(word().prefix(8))),
            since: RigTime(nanoseconds: number(Int64.min...Int64.max)),
            claimed: ClockConflict.Statement(
                offset: .nanoseconds(number(Int64.min...Int64.max)), bound: .nanoseconds(number(0...Int64.max))),
            proven: ClockConflict.Statement(
                offset: .nanoseconds(number(Int64.min...Int64.max)), bound: .nanoseconds(number(0...Int64.max))))
    }

    /// Some of the entries have no valid event.
    private mutating func eventBatch() throws -> EventBatch {
        EventBatch(
            follows: maybe { $0.position() },
            entries: try list(0...6) { generator in
                let event = try generator.numberedEvent()
                return EventBatch.Entry(
                    position: EventPosition(epoch: event.epoch, sequence: event.sequence), event: .success(event.event))
            })
    }

    private mutating func welcome() -> Welcome {
        let interval = number(10_000_000...60_000_000_000)
        return Welcome(
            rigClock: RigClockID(rawValue: word()), clockPort: UInt16(clamping: number(1...65_535)),
            collectPort: UInt16(clamping: number(1...65_535)), heartbeatInterval: .nanoseconds(interval),
            heartbeatTimeout: .nanoseconds(number(interval...600_000_000_000)))
    }

    private mutating func prepareOrder(to node: NodeName) throws -> PrepareOrder {
        PrepareOrder(
            shot: shotID(), devices: try devices(of: node), time: rigTime(), rigClock: RigClockID(rawValue: word()),
            pinnedUntil: rigTime(), setUntil: maybe { RigTime(nanoseconds: $0.number(1...Int64.max)) },
            settings: photoSettings(), realtimeAtTime: number(Int64.min...Int64.max),
            utcOffsetMinutes: Int(number(Int64(Int32.min)...Int64(Int32.max))))
    }

    private mutating func framesStatus() throws -> FramesStatus {
        FramesStatus(
            host: text(Self.lower + ".-:", 1...40), port: UInt16(clamping: number(1...65_535)),
            watched: Int(number(0...Int64(UInt32.max))), published: UInt64(number(WireLimits.nonNegative)),
            publishedBytes: UInt64(number(WireLimits.nonNegative)), scaled: UInt64(number(WireLimits.nonNegative)),
            refusedConnections: UInt64(number(WireLimits.nonNegative)), key: try maybe { try $0.publicKey().base64 },
            viewersRevision: UInt64(number(WireLimits.nonNegative)))
    }

    private mutating func page(of node: NodeName, after: CaptureKey?) throws -> InventoryPage {
        InventoryPage(
            after: after, captures: try list(0...3) { try $0.report(of: node) }, hasMore: Bool.random(using: &self))
    }

    mutating func report(of node: NodeName) throws -> CaptureReport {
        var report = try captureReport()
        report.key = try captureKey(of: node)
        return report
    }

    /// Devices of a node, each of them once.
    private mutating func statuses(of node: NodeName) throws -> [DeviceStatus] {
        try devices(of: node).map { device in
            var status = try deviceStatus()
            status.device.id = device
            return status
        }
    }

    private mutating func devices(of node: NodeName) throws -> [DeviceID] {
        Array(Set(try list(0...4) { try $0.deviceID(of: node) }))
    }

    private mutating func deviceID(of node: NodeName) throws -> DeviceID { DeviceID(node: node, device: try name()) }

    private mutating func captureKey(of node: NodeName) throws -> CaptureKey {
        CaptureKey(shot: shotID(), device: try deviceID(of: node))
    }

    private mutating func position() -> EventPosition {
        EventPosition(epoch: .random(using: &self), sequence: anyNumber())
    }

    private mutating func rigTime() -> RigTime { RigTime(nanoseconds: number(Int64.min...Int64.max)) }

    private mutating func anyNumber() -> UInt64 { UInt64.random(in: 0...UInt64.max, using: &self) }

    private mutating func publicKey() throws -> PublicKey {
        try #require(PublicKey(bytes: (0..<PublicKey.byteCount).map { _ in UInt8.random(in: 1...255, using: &self) }))
    }
}
