import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigWire
import Testing

/// A field with a value the protocol does not allow, and how it must be named.
struct Hostile<Message>: Sendable, CustomTestStringConvertible {
    var field: String
    var value: String
    var spoil: @Sendable (inout Message) -> Void

    init(_ field: String, _ value: String, _ spoil: @escaping @Sendable (inout Message) -> Void) {
        self.field = field
        self.value = value
        self.spoil = spoil
    }

    var testDescription: String { "\(field) \(value)" }

    /// Spoils a good message and expects the fault to be told by the name of the field.
    func check(_ good: Message, _ read: (Message) throws -> Void, _ location: SourceLocation = #_sourceLocation) {
        var message = good
        spoil(&message)
        do {
            try read(message)
            Issue.record("\(testDescription) was accepted", sourceLocation: location)
        } catch let error as WireError {
            #expect(error.field == field, "\(error)", sourceLocation: location)
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
    }
}

@Suite("Refuses hostile descriptions of a device")
struct HostileDeviceTests {
    static let long = String(repeating: "a", count: 65)

    @Test(arguments: [
        (Data(repeating: 7, count: 31), "has 31"), (Data(repeating: 7, count: 33), "has 33"),
        (Data(), "has 0"), (Data(count: 32), "all of its bytes are 0"),
    ])
    func publicKey(bytes: Data, reason: String) {
        let error = #expect(throws: WireError.self) { _ = try FieldReader("KeyHolder").publicKey(bytes) }
        #expect(error?.field == "public_key" && error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        Hostile<WireDeviceId>("node", "empty") { $0.node = "" },
        Hostile("node", "a path") { $0.node = "../etc" },
        Hostile("node", "too long") { $0.node = String(repeating: "a", count: 25) },
        Hostile("device", "a path") { $0.device = "a/b" },
        Hostile("device", "upper case") { $0.device = "Cam" },
        Hostile("device", "NUL") { $0.device = "a\0" },
    ])
    func deviceID(hostile: Hostile<WireDeviceId>) throws {
        var generator = SeededGenerator(seed: 1)
        hostile.check(try generator.deviceID().wire) { _ = try DeviceID(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireVideoFormat>("pixel_format", "unknown") { $0.pixelFormat = "H264" },
        Hostile("width", "0") { $0.width = 0 },
        Hostile("width", "too large") { $0.width = 65_536 },
        Hostile("width", "largest") { $0.width = .max },
        Hostile("height", "0") { $0.height = 0 },
        Hostile("height", "largest") { $0.height = .max },
        Hostile("frame_interval_ns", "0") { $0.frameIntervalNs = 0 },
        Hostile("frame_interval_ns", "negative") { $0.frameIntervalNs = -1 },
        Hostile("frame_interval_ns", "smallest") { $0.frameIntervalNs = .min },
        Hostile("frame_interval_ns", "largest") { $0.frameIntervalNs = .max },
    ])
    func videoFormat(hostile: Hostile<WireVideoFormat>) {
        var generator = SeededGenerator(seed: 2)
        hostile.check(generator.videoFormat().wire) { _ = try VideoFormat(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireDeviceDescription>("id", "absent") { $0.clearID() },
        Hostile("node", "a path") { $0.id.node = ".." },
        Hostile("media_type", "unknown") { $0.mediaType = "smell" },
        Hostile("media_type", "empty") { $0.mediaType = "" },
        Hostile("type", "empty") { $0.type = "" },
        Hostile("type", "too long") { $0.type = long },
        Hostile("position", "with an escape") { $0.position = "\u{1B}[2J" },
        Hostile("position", "with a space") { $0.position = "top left" },
        Hostile("labels", "too many") { $0.labels = Array(repeating: "a", count: 33) },
        Hostile("labels", "an empty one") { $0.labels = ["a", ""] },
        Hostile("labels", "a long one") { $0.labels = [long] },
        Hostile("orientation_degrees", "askew") { $0.orientationDegrees = 45 },
        Hostile("orientation_degrees", "largest") { $0.orientationDegrees = .max },
        Hostile("driver", "empty") { $0.driver = "" },
    ])
    func description(hostile: Hostile<WireDeviceDescription>) throws {
        var generator = SeededGenerator(seed: 3)
        hostile.check(try generator.description().wire) { _ = try DeviceDescription(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireFrameCounters>("delivered", "too large") { $0.delivered = .max },
        Hostile("dropped_by_device", "too large") { $0.droppedByDevice = .max },
        Hostile("flagged_erroneous", "too large") { $0.flaggedErroneous = 1 << 63 },
        Hostile("torn", "too large") { $0.torn = .max },
        Hostile("dropped_by_node", "too large") { $0.droppedByNode = .max },
        Hostile("stalls", "too large") { $0.stalls = .max },
        Hostile("trimmed", "too large") { $0.trimmed = .max },
        Hostile("damaged", "too large") { $0.damaged = .max },
    ])
    func counters(hostile: Hostile<WireFrameCounters>) {
        var generator = SeededGenerator(seed: 4)
        hostile.check(generator.counters().wire) { _ = try FrameCounters(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireDeviceCondition>("state", "unknown") { $0.state = "happy" },
        Hostile<WireDeviceCondition>("phase", "unknown") { $0.session.phase = "happy" },
        Hostile("width", "0") { $0.format.width = 0 },
        Hostile("counters", "absent") { $0.clearCounters() },
        Hostile("phase_rig_ns", "absent beside a period") {
            $0.periodNs = 1
            $0.clearPhaseRigNs()
        },
        Hostile("period_ns", "absent beside a phase") {
            $0.phaseRigNs = 1
            $0.clearPeriodNs()
        },
        Hostile("period_ns", "0") {
            $0.phaseRigNs = 1
            $0.periodNs = 0
        },
        Hostile("period_ns", "negative") {
            $0.phaseRigNs = 1
            $0.periodNs = -5
        },
    ])
    func condition(hostile: Hostile<WireDeviceCondition>) {
        var generator = SeededGenerator(seed: 5)
        var condition = generator.condition()
        condition.format = generator.videoFormat()
        hostile.check(condition.wire) { _ = try DeviceCondition(wire: $0) }
    }

    @Test func statusWithoutItsParts() throws {
        var generator = SeededGenerator(seed: 6)
        let good = try generator.deviceStatus().wire
        Hostile("device", "absent") { $0.clearDevice() }.check(good) { _ = try DeviceStatus(wire: $0) }
        Hostile("condition", "absent") { $0.clearCondition() }.check(good) { _ = try DeviceStatus(wire: $0) }
    }
}

@Suite struct BusLibraryTests {
    @Test(
        "A version that is not a word is refused",
        arguments: [
            Hostile<WireBusLibrary>("version", "empty") { $0.version = "" },
            Hostile("version", "with an escape") { $0.version = "\u{1B}[2J" },
            Hostile("version", "with a space") { $0.version = "4.3.4 ok" },
            Hostile("version", "too long") { $0.version = String(repeating: "4", count: 65) },
        ])
    func hostile(_ hostile: Hostile<WireBusLibrary>) {
        hostile.check(BusLibrary(version: "4.3.4", isHardened: true).wire) { _ = try BusLibrary(wire: $0) }
    }

    @Test("Reads a library as it was written", arguments: [false, true])
    func roundTrip(isHardened: Bool) throws {
        let library = BusLibrary(version: "4.3.4", isHardened: isHardened)
        #expect(try BusLibrary(wire: library.wire) == library)
    }
}

@Suite("Refuses hostile triggers and events")
struct HostileRequestTests {
    private func trigger() throws -> WireTrigger {
        var generator = SeededGenerator(seed: 9)
        return try generator.triggerRequest().wire
    }

    @Test(arguments: [
        Hostile<WireTrigger>("shot_id", "empty") { $0.shotID = Data() },
        Hostile("shot_id", "too long") { $0.shotID.append(0) },
        Hostile("", "absent") { $0.request = "" },
        Hostile("", "not JSON") { $0.request = "{" },
        Hostile("selection", "absent") { $0.request = "{}" },
        Hostile("settings.quality", "0") {
            $0.request = #"{"selection":{"choice":{"all":{}}},"settings":{"quality":0}}"#
        },
        Hostile("fast", "unknown") { $0.request = #"{"selection":{"choice":{"all":{}}},"fast":true}"# },
        Hostile("timeout_ns", "negative") { $0.timeoutNs = -1 },
        Hostile("timeout_ns", "largest") { $0.timeoutNs = .max },
    ])
    func trigger(hostile: Hostile<WireTrigger>) throws {
        hostile.check(try trigger()) { _ = try TriggerRequest(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireApplySettings>("choice", "absent") { $0.selection = "{}" },
        Hostile("", "absent") { $0.selection = "" },
        Hostile("soon.lead", "negative") { $0.time = #"{"soon":{"lead":-1}}"# },
        Hostile("", "of no way") { $0.time = "{}" },
    ])
    func `Refuses settings for nobody, and at no instant`(hostile: Hostile<WireApplySettings>) throws {
        var generator = SeededGenerator(seed: 9)
        let request = SettingsRequest(
            id: generator.settingsID(), selection: try generator.selection(), settings: try generator.captureSettings())
        hostile.check(request.wire) { _ = try SettingsRequest(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireListShots>("devices", "a path") { $0.devices = ["../x"] },
        Hostile("devices", "empty") { $0.devices = [""] },
        Hostile("devices", "too many") { $0.devices = Array(repeating: "*", count: 65) },
        Hostile("labels", "an empty one") { $0.labels = [""] },
        Hostile("outcomes", "unknown") { $0.outcomes = ["fine"] },
        Hostile("outcomes", "too many") { $0.outcomes = Array(repeating: "done", count: 33) },
        Hostile("statuses", "unknown") { $0.statuses = ["fine"] },
        Hostile("title", "too long") { $0.title = String(repeating: "a", count: 257) },
        Hostile("text", "too long") { $0.text = String(repeating: "a", count: 257) },
    ])
    func search(hostile: Hostile<WireListShots>) throws {
        hostile.check(WireListShots()) { _ = try ShotQuery(wire: $0) }
    }

    @Test(
        "Reads times at the end of the number range",
        arguments: [
            RequestedTime.soon(lead: .max), .relative(nanoseconds: .min), .relative(nanoseconds: .max),
            .absolute(realtimeNanoseconds: .max),
        ])
    func extremeTimes(time: RequestedTime) throws {
        var generator = SeededGenerator(seed: 9)
        var trigger = try generator.triggerRequest()
        trigger.request.time = time
        #expect(try TriggerRequest(wire: trigger.wire).request.time == time)
    }

    @Test(arguments: [
        Hostile<WireFeedEvent>("name", "empty") { $0.event.name = "" },
        Hostile("name", "with a NUL, which would end the topic") { $0.event.name = "a\0b" },
        Hostile("name", "too long") { $0.event.name = String(repeating: "a", count: 57) },
        Hostile("rig_ns", "absent beside a bound") {
            $0.event.boundNs = 1
            $0.event.clearRigNs()
        },
        Hostile("bound_ns", "absent beside a rig time") {
            $0.event.rigNs = 1
            $0.event.clearBoundNs()
        },
        Hostile("bound_ns", "negative") {
            $0.event.rigNs = 1
            $0.event.boundNs = -1
        },
        Hostile("node", "of the device, a path") { $0.event.device.node = "/" },
        Hostile("shot_id", "a short one") { $0.event.shotID = Data([1]) },
        Hostile("details", "too many") { event in
            for index in 0..<17 { event.event.details["\(index)"] = "" }
        },
        Hostile("details", "an empty key") { $0.event.details = ["": ""] },
        Hostile("event", "absent") { $0.clearEvent() },
        Hostile("coordinator_epoch", "0") { $0.coordinatorEpoch = 0 },
        Hostile("sequence", "0") { $0.sequence = 0 },
        Hostile("sequence", "largest") { $0.sequence = .max },
        Hostile("node", "a path") { $0.node = "a/b" },
        Hostile("source_epoch", "0") { $0.sourceEpoch = 0 },
        Hostile("source_sequence", "0") { $0.sourceSequence = 0 },
    ])
    func event(hostile: Hostile<WireFeedEvent>) throws {
        var generator = SeededGenerator(seed: 10)
        hostile.check(try generator.feedEvent().wire) { _ = try FeedEvent(wire: $0) }
    }

    @Test("Accepts an event with the most facts, and drops the rest")
    func talkativeEvent() throws {
        var generator = SeededGenerator(seed: 11)
        var event = try generator.event()
        event.details = Dictionary(
            uniqueKeysWithValues: (10..<50).map { ("k\($0)", String(repeating: "x", count: 900)) })
        let arrived = try RigEvent(wire: event.wire)
        #expect(arrived.details.keys.sorted() == (10..<26).map { "k\($0)" })
        #expect(arrived.details.values.allSatisfy { $0.utf8.count == WireLimits.reasonByteCount })
    }
}

@Suite("Round-trips a node's pressure, and refuses hostile values") struct SystemPressureTests {
    private static let hot = SystemPressure(
        level: .shutdown, factors: [.temperature, SystemPressure.Factor(rawValue: "dust")], reason: "soc is at 106 °C")

    @Test func roundTrip() throws {
        for level in SystemPressure.Level.allCases {
            var pressure = Self.hot
            pressure.level = level
            #expect(try SystemPressure(wire: pressure.wire) == pressure)
        }
        #expect(try SystemPressure(wire: SystemPressure().wire) == SystemPressure())
    }

    @Test(arguments: [
        Hostile<WireNodePressure>("level", "absent") { $0.level = "" },
        Hostile("level", "unknown") { $0.level = "melting" },
        Hostile("factors", "with a space") { $0.factors = ["a b"] },
        Hostile("factors", "empty") { $0.factors = [""] },
        Hostile("factors", "33") { $0.factors = Array(repeating: "cpu", count: 33) },
    ])
    func hostile(fault: Hostile<WireNodePressure>) {
        fault.check(Self.hot.wire) { _ = try SystemPressure(wire: $0) }
    }

    @Test func reasonIsCut() throws {
        var wire = Self.hot.wire
        wire.reason = String(repeating: "\u{1B}", count: 100_000)
        let reason = try #require(try SystemPressure(wire: wire).reason)
        #expect(reason.utf8.count <= WireLimits.reasonByteCount && !reason.contains("\u{1B}"))
    }
}
