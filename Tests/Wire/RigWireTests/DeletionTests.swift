import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

@Suite struct DeletionTests {
    private func throughBytes<M: SwiftProtobuf.Message>(_ message: M) throws -> M {
        try WireCoding.client.decode(M.self, from: try WireCoding.client.encode(message))
    }

    private func deletion(_ reason: ShotDeletion.Reason = .age) -> ShotDeletion {
        var generator = SeededGenerator(seed: 1)
        return ShotDeletion(
            shot: generator.shotID(), isTake: true, realtimeNanoseconds: .max, by: "anna", reason: reason,
            wasOnlyCopy: true, files: 7, byteCount: .max)
    }

    @Test func `Round-trips a request to delete a shot, and its answer`() throws {
        for evenOnlyCopy in [false, true] {
            let request = ShotDeletionRequest(shot: deletion().shot, evenOnlyCopy: evenOnlyCopy)
            #expect(try ShotDeletionRequest(wire: throughBytes(request.wire)) == request)
        }
        for reason in ShotDeletion.Reason.allCases {
            #expect(try ShotDeletion(wire: throughBytes(deletion(reason).wire)) == deletion(reason))
        }
    }

    @Test func `Round-trips what retention holds back`() throws {
        var status = RetentionStatus(rule: "for 30 d")
        #expect(try RetentionStatus(wire: throughBytes(status.wire)) == status)
        status = RetentionStatus(
            rule: "50 GB free", checkedRealtimeNanoseconds: 0, heldBack: [.onlyCopy: 3, .annotated: .max],
            example: "shot X: no copy", lackingBytes: 1)
        #expect(try RetentionStatus(wire: throughBytes(status.wire)) == status)
        var wire = status.wire
        wire.heldBack = ["magnificent": 2]
        #expect(try RetentionStatus(wire: wire).heldBack == [.failed: 2], "an obstacle of a later version counts")
    }

    @Test(arguments: [
        Hostile<WireDeletedShot>("shot_id", "absent") { $0.shotID = .init() },
        Hostile("byte_count", "negative") { $0.byteCount = -1 },
    ])
    func `Refuses a hostile answer`(_ hostile: Hostile<WireDeletedShot>) {
        hostile.check(deletion().wire) { _ = try ShotDeletion(wire: $0) }
    }

    @Test func `A name and a reason of another version are shown as printable text`() throws {
        var wire = deletion().wire
        (wire.by, wire.reason) = ("an\u{1B}na", "boredom")
        let read = try ShotDeletion(wire: wire)
        #expect(read.by == "an\u{FFFD}na" && read.reason == .requested)
    }
}
