import CaptureModel
import CaptureTestSupport
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

@Suite("A node can bring the coordinator down, or smuggle in a path, with the description of a device")
struct HostileDeviceTests {
    static let long = String(repeating: "a", count: 65)

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
