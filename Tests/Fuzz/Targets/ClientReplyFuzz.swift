import CaptureModel
import RigProtocol
import RigWire

@testable import RigClient

/// What a coordinator answers, as clients read it.
enum ClientReplyFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let reply = WireAgreement.message(WireClientReply.self, .client, bytes) else { return }
        switch reply.body {
        case .failure(let failure): try AgentMessageFuzz.check(failure.problem)
        case .deviceList(let list): for device in list.devices { try AgentMessageFuzz.check(device) }
        case .forgotten(let forgotten): _ = forgotten.devices.map { try? DeviceID(wire: $0) }
        case .status(let status):
            guard let epoch = Epoch(rawValue: reply.epoch) else { return }
            _ = try? RigStatus(wire: status, epoch: epoch)
        case .progress(let progress): _ = try? ShotProgress(wire: progress)
        case .shot(let document):
            guard let located = try? LocatedShot(wire: document) else { return }
            try ShotManifestFuzz.check(located.shot)
        case .shotList(let list): _ = try? ShotList(wire: list)
        case .verification(let verification): _ = try? Verification(wire: verification)
        case .events(let log): try follow(log, Epoch(rawValue: reply.epoch))
        case .deviceReply(let reply): try check(reply)
        case .unclaimedFiles(let files): _ = try? UnclaimedFiles(wire: files)
        case .shotAnnotation(let annotation):
            try WireAgreement.check(annotation, { try ShotAnnotation(wire: $0) }, { $0.wire })
        case .takeMark(let mark): _ = try? SetMark(wire: mark)
        case nil: break
        }
    }

    static func check(_ reply: WireDeviceReply) throws {
        guard reply.result != nil else { return }
        try WireAgreement.check(reply, { try DeviceReply(wire: $0) }, { $0.wire })
    }

    /// A follower of the feed takes the page, twice.
    private static func follow(_ log: WireEventLog, _ epoch: Epoch?) throws {
        guard let epoch, let replay = try? EventReplay(wire: log, epoch: epoch) else { return }
        for event in log.events { try WireAgreement.check(event, { try FeedEvent(wire: $0) }, { $0.wire }) }
        var cursor = FeedCursor()
        _ = cursor.take(replay)
        let (again, _) = cursor.take(replay)
        let isRepeated = again.contains { if case .event = $0 { true } else { false } }
        try FuzzFinding.unless(!isRepeated, "an event that comes twice is told twice")
    }
}
