import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

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
            .switchInput(to: try name()), .canSwitchInput(to: try name()), .describe,
            .setControls([word(): number(Int64.min...Int64.max)]),
            .measure(
                MeasureRequest(
                    region: pick([.center, .whole]), frames: Int(number(1...64)), skip: Int(number(0...120)),
                    wantsPicture: Bool.random(using: &self))),
            .keepDelays((0...Int(number(0...3))).compactMap { controlDelay("control_\($0)") }),
            .keepStamps(stampCorrection()),
            .setConnection(
                orientation: maybe { $0.pick(Orientation.allCases) }, isMirrored: maybe { Bool.random(using: &$0) }),
            .align(nil),
            .align(
                AlignmentRequest(
                    tolerance: .nanoseconds(number(1000...1_000_000_000)),
                    restartBudget: .nanoseconds(number(0...540_000_000_000)))),
            .settings(settingsID(), .prepare(try captureSettings())),
            .settings(settingsID(), .commit(at: RigTime(nanoseconds: number(Int64.min...Int64.max)))),
            .settings(settingsID(), .undo), .settings(settingsID(), .giveUp), .heldSettings,
            .listSpool(after: try maybe { try $0.fileKey().capture }, isDamaged: Bool.random(using: &self)),
            .discardCaptures(try list(0...3) { try $0.fileKey().capture }, isDamaged: Bool.random(using: &self)),
        ]
    }

    /// One of each kind, but for details, which have tests of their own.
    mutating func deviceReplies() throws -> [DeviceReply] {
        [
            .session(
                SessionResult(device: try deviceID(), condition: condition(), changes: list(0...3) { $0.sentence() })),
            .controls([word(): number(Int64.min...Int64.max)]), .measured(measurement()), .delaysKept(file: sentence()),
            .settings(
                .prepared(
                    SettingsPreparation(
                        outcomes: try settingOutcomes(), notes: list(0...3) { $0.sentence() },
                        leadNanoseconds: number(WireLimits.timeout), isDeferred: Bool.random(using: &self),
                        earlier: Bool.random(using: &self) ? try captureSettings() : nil))),
            .held(try heldSettings()), .canSwitchInput(nil),
            .canSwitchInput(SwitchObjection(pick(SwitchObjection.Reason.allCases), problem())),
            .settings(.applied(settingsEffect())), .settings(.undone), .settings(.deferred(problem())),
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

@Suite("Refuses random bytes")
struct RandomBytesTests {
    private let node: NodeName

    init() throws {
        node = try NodeName("node")
    }

    /// Reads bytes as everything that could come in; what is refused is refused by an error.
    private func readAsEverything(_ bytes: [UInt8]) -> Int {
        var accepted = 0
        func read<M: SwiftProtobuf.Message>(_ type: M.Type, _ convert: (M) throws -> Void) {
            do throws(WireError) {
                let message = try WireCoding.control.decode(type, from: bytes)
                if (try? convert(message)) != nil { accepted += 1 }
            } catch {
                #expect(error.code == .malformed)
            }
        }
        read(WireAgentMessage.self) { message in
            _ = try message.hello.devices.map(DeviceStatus.init(wire:))
            _ = try message.hello.inventory.map(CaptureReport.init(wire:))
            _ = try message.events.events.map(NumberedEvent.init(wire:))
            _ = RigProblem(wire: message.missed.problem)
            _ = try NodeMessage(wire: message.body, from: node)
        }
        read(WireCoordinatorMessage.self) { _ = try CoordinatorMessage(wire: $0.body, to: node) }
        if (try? CaptureReport(wire: String(decoding: bytes, as: UTF8.self))) != nil { accepted += 1 }
        read(WireDeviceStatus.self) { _ = try DeviceStatus(wire: $0) }
        read(WireTrigger.self) { _ = try TriggerRequest(wire: $0) }
        read(WireFeedEvent.self) { _ = try FeedEvent(wire: $0) }
        read(WireFileKey.self) { _ = try FileKey(wire: $0) }
        read(WireProblem.self) { _ = RigProblem(wire: $0) }
        _ = try? FeedFrame(bytes: bytes).message()
        return accepted
    }

    @Test(arguments: 1...20)
    func noise(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            _ = readAsEverything(generator.list(0...200) { UInt8.random(in: 0...255, using: &$0) })
        }
    }

    @Test(arguments: 1...20)
    func spoiledMessages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let coding = WireCoding.control
        let originals = [
            Array(try generator.captureReport().wire.utf8), try coding.encode(generator.deviceStatus().wire),
            try coding.encode(generator.triggerRequest().wire), try coding.encode(generator.feedEvent().wire),
        ]
        for original in originals {
            // The unspoiled one shows that the reading reaches the conversions.
            #expect(readAsEverything(original) > 0)
            for _ in 0..<20 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                _ = readAsEverything(bytes)
                _ = readAsEverything(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
            }
        }
    }

    @Test func endlessNesting() {
        // Group start tags of an unknown field, as deep as the channel lets them be.
        let bytes = [UInt8](repeating: 0x7B, count: WireCoding.control.maximumByteCount)
        #expect(throws: WireError.self) { try WireCoding.control.decode(WireAgentMessage.self, from: bytes) }
    }
}
