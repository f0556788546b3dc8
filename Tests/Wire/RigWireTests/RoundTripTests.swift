import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

/// Every value goes through the bytes of the bus, not only through the generated type.
@Suite struct RoundTripTests {
    static let seeds: [UInt64] = Array(1...40)

    private func throughBytes<M: SwiftProtobuf.Message>(_ message: M) throws -> M {
        try WireCoding.control.decode(M.self, from: try WireCoding.control.encode(message))
    }

    @Test("Round-trips a device's identity, format and state", arguments: seeds)
    func devices(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let id = try generator.deviceID()
        #expect(try DeviceID(wire: throughBytes(id.wire)) == id)
        let format = generator.videoFormat()
        #expect(try VideoFormat(wire: throughBytes(format.wire)) == format)
        let description = try generator.description()
        #expect(try DeviceDescription(wire: throughBytes(description.wire)) == description)
        let counters = generator.counters()
        #expect(try FrameCounters(wire: throughBytes(counters.wire)) == counters)
        let condition = generator.condition()
        #expect(try DeviceCondition(wire: throughBytes(condition.wire)) == condition)
        let status = try generator.deviceStatus()
        #expect(try DeviceStatus(wire: throughBytes(status.wire)) == status)
    }

    @Test("Round-trips a capture's times, settings and files", arguments: seeds)
    func captures(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let settings = generator.photoSettings()
        #expect(try PhotoSettings(wire: settings.wire) == settings)
        let resolved = generator.resolvedSettings()
        #expect(try ResolvedPhotoSettings(wire: resolved.wire) == resolved)
        let key = try generator.fileKey()
        #expect(try FileKey(wire: throughBytes(key.wire)) == key)
        let report = try generator.captureReport()
        #expect(try CaptureReport(wire: report.wire) == report)
        let problem = generator.problem()
        #expect(RigProblem(wire: try throughBytes(problem.wire)) == problem)
    }

    @Test("Round-trips a trigger's selection and instant", arguments: seeds)
    func triggers(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let selection = try generator.selection()
        #expect(try Selection(wire: selection.wire) == selection)
        let trigger = try generator.triggerRequest()
        #expect(try TriggerRequest(wire: throughBytes(trigger.wire)) == trigger)
    }

    @Test(
        "A device is told another command, or a client another answer, than was meant, or a repeat is none",
        arguments: seeds)
    func deviceRequests(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for command in try generator.deviceCommands() {
            let request = DeviceRequest(
                device: try generator.deviceID(),
                timeout: .nanoseconds(generator.number(1...WireLimits.deviceTimeout.upperBound)),
                command: command, id: generator.maybe { UInt64.random(in: 1...UInt64.max, using: &$0) })
            #expect(try DeviceRequest(wire: throughBytes(request.wire)) == request)
        }
        let unknown = DeviceRequest(.node(try generator.name()), command: nil)
        #expect(try DeviceRequest(wire: throughBytes(unknown.wire)) == unknown)
        for reply in try generator.deviceReplies() {
            #expect(try DeviceReply(wire: throughBytes(reply.wire)) == reply)
        }
    }

    @Test(arguments: seeds) func `Settings and what has become of them go through bytes unchanged`(seed: UInt64) throws
    {
        var generator = SeededGenerator(seed: seed)
        let request = try generator.settingsRequest()
        #expect(try SettingsRequest(wire: throughBytes(request.wire)) == request)
        let report = try generator.settingsReport()
        #expect(try SettingsReport(wire: throughBytes(report.wire)) == report)
    }

    @Test(arguments: seeds) func `Profiles and past settings go through bytes unchanged`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let reference = try generator.profileReference()
        #expect(try ProfileReference(wire: throughBytes(reference.wire)) == reference)
        let profile = try generator.settingsProfile()
        #expect(try SettingsProfile(wire: throughBytes(profile.wire)) == profile)
        let held = try generator.heldProfile()
        #expect(try HeldProfile(wire: throughBytes(held.wire)) == held)
        let saved = try generator.savedProfile()
        #expect(try SavedProfile(wire: throughBytes(saved.wire)) == saved)
        let summary = try generator.profileSummary()
        #expect(try ProfileSummary(wire: throughBytes(summary.wire)) == summary)
        let past = try generator.pastSettings()
        #expect(try PastSettings(wire: throughBytes(past.wire)) == past)
    }

    @Test("Round-trips queries and annotations", arguments: seeds)
    func searches(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let query = ShotQuery(
            since: generator.maybe { $0.number(Int64.min...Int64.max) },
            until: generator.maybe { $0.number(Int64.min...Int64.max) },
            devices: ["a/*", "*/c?", "cam1"].compactMap(DevicePattern.init),
            labels: generator.list(0...4) { $0.word() },
            outcomes: Set(generator.list(0...3) { $0.pick(CapturedFile.Outcome.allCases) }),
            statuses: Set(generator.list(0...3) { $0.pick(Shot.Status.allCases) }),
            title: generator.maybe { $0.word() }, text: generator.maybe { $0.word() },
            isRejected: generator.pick([true, false]))
        #expect(try ShotQuery(wire: throughBytes(query.wire)) == query)
        let devices = [try generator.deviceID(), try generator.deviceID()]
        let annotation = ShotAnnotation(title: generator.word(), note: "a\nb", rejected: devices)
        #expect(try ShotAnnotation(wire: throughBytes(annotation.wire)) == annotation)
        let edit = ShotAnnotationEdit(
            title: generator.maybe { _ in "" }, note: generator.maybe { $0.word() }, reject: [devices[0]],
            accept: [devices[1]])
        let id = generator.shotID()
        #expect(try ShotAnnotationEdit(wire: throughBytes(edit.wire(of: id))) == edit)
    }

    @Test("Round-trips events", arguments: seeds)
    func events(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let event = try generator.event()
        #expect(try RigEvent(wire: throughBytes(event.wire)) == event)
        let numbered = try generator.numberedEvent()
        #expect(try NumberedEvent(wire: throughBytes(numbered.wire)) == numbered)
        let feed = try generator.feedEvent()
        #expect(try FeedEvent(wire: throughBytes(feed.wire)) == feed)
    }

    @Test("Round-trips identities", arguments: seeds)
    func identities(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let reader = FieldReader("Prepare")
        let shot = generator.shotID()
        #expect(try reader.shotID(shot.wire) == shot)
        let epoch = Epoch.random(using: &generator)
        #expect(try reader.epoch(epoch.wire) == epoch)
        let digest = try generator.digest()
        #expect(try ContentDigest(wire: digest.wire) == digest)
    }
}
