import CaptureModel
import CaptureTestSupport
import RigWire

extension SeededGenerator {
    mutating func pair() -> TypeAndPosition {
        TypeAndPosition(
            type: maybe { DeviceType(rawValue: $0.word()) },
            position: maybe { Position(rawValue: $0.word()) } ?? .unspecified)
    }

    mutating func choice() -> Selection.Choice {
        switch number(0...2) {
        case 0: .all
        case 1: .matching(list(0...4) { $0.pair() })
        default: .first(list(0...4) { $0.pair() }, per: pick(Selection.Scope.allCases))
        }
    }

    mutating func selection() throws -> Selection {
        Selection(
            mediaType: pick(MediaType.allCases), nodes: try list(0...3) { try $0.name() },
            devices: try list(0...3) { try $0.deviceID() }, labels: list(0...3) { $0.word() }, choice: choice())
    }

    mutating func requestedTime() -> RequestedTime {
        switch number(0...2) {
        case 0: .soon(lead: maybe { $0.number(0...Int64.max) })
        case 1: .relative(nanoseconds: number(Int64.min...Int64.max))
        default: .absolute(realtimeNanoseconds: number(0...Int64.max))
        }
    }

    mutating func triggerRequest() throws -> TriggerRequest {
        let request = ShotRequest(
            selection: try selection(), settings: photoSettings(), time: requestedTime(),
            requireAll: Bool.random(using: &self))
        return TriggerRequest(
            shot: shotID(), request: request,
            timeout: maybe { .nanoseconds($0.number(1...WireLimits.timeout.upperBound)) })
    }

    /// One of each kind.
    mutating func deviceCommands() throws -> [DeviceCommand] {
        [
            .startSession, .stopSession(force: Bool.random(using: &self)), .resumeSession,
            .switchInput(to: try name()), .describe, .setControls([word(): number(Int64.min...Int64.max)]),
            .setConnection(
                orientation: maybe { $0.pick(Orientation.allCases) }, isMirrored: maybe { Bool.random(using: &$0) }),
            .listSpool(after: try maybe { try $0.fileKey().capture }, isDamaged: Bool.random(using: &self)),
            .discardCaptures(try list(0...3) { try $0.fileKey().capture }, isDamaged: Bool.random(using: &self)),
        ]
    }

    /// One of each kind, but for details, which have tests of their own.
    mutating func deviceReplies() throws -> [DeviceReply] {
        [
            .session(
                SessionResult(device: try deviceID(), condition: condition(), changes: list(0...3) { $0.sentence() })),
            .controls([word(): number(Int64.min...Int64.max)]),
            .spool(SpoolListing(captures: try list(0...3) { try $0.spooledCapture() }, hasMore: true)),
            .discarded(try list(0...3) { try $0.spooledCapture() }),
        ]
    }

    private mutating func spooledCapture() throws -> SpooledCapture {
        SpooledCapture(
            key: try fileKey().capture, files: Int(number(0...8)), byteCount: number(0...Int64.max),
            state: pick(SpooledCapture.State.allCases))
    }

    mutating func event() throws -> RigEvent {
        let details = list(0...4) { ($0.word(), $0.sentence()) }
        return RigEvent(
            EventName(rawValue: text(Self.lower + "ABC.-", 1...56)),
            realtimeNanoseconds: number(Int64.min...Int64.max),
            local: LocalTime(nanoseconds: number(Int64.min...Int64.max)), rig: maybe { $0.boundedTime() },
            device: try maybe { try $0.deviceID() }, shot: maybe { $0.shotID() },
            details: Dictionary(details, uniquingKeysWith: { first, _ in first }))
    }

    mutating func numberedEvent() throws -> NumberedEvent {
        NumberedEvent(epoch: .random(using: &self), sequence: UInt64(number(1...Int64.max)), event: try event())
    }

    mutating func feedEvent() throws -> FeedEvent {
        FeedEvent(
            coordinatorEpoch: .random(using: &self), sequence: UInt64(number(1...Int64.max)),
            node: try maybe { try $0.name() }, source: try numberedEvent())
    }
}
