import CaptureModel
import CaptureTestSupport
import ControlMessages
import FolderStore
import Foundation
import Logging
import MemoryObjectStore
import PosixSupport
import RigConfiguration
import RigSecurity
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Copies as a test says.
private final class FakeCopies: ShotCopies {
    let shortfall = Locked<String?>(nil)

    func shortfall(of shot: Shot) async -> String? { shortfall.withLock(\.self) }
}

/// Deleting shots, as front ends and the retention do.
@Suite(.timeLimit(.minutes(10))) struct RigDeletionTests {
    private let folder: TemporaryFolder
    private let copies = FakeCopies()
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    private let anna: Principal

    init() throws {
        folder = try TemporaryFolder()
        anna = try #require(Principal(claimed: "anna@studio-1"))
    }

    /// A rig whose library has settled shot 1 with a photo.
    private func rig(objects: MemoryObjectStore? = nil, knowsCopies: Bool = true) async throws -> ServiceBench {
        let bench = try await RigBench(folder: folder, objects: objects, copies: knowsCopies ? copies : nil)
        let rig = try ServiceBench(bench)
        try await take(rig)
        return rig
    }

    private func take(_ rig: ServiceBench, _ number: Int64 = 1) async throws {
        if number == 1 { try await rig.bench.hello("north") }
        let answers = rig.answers(to: .trigger(rig.bench.order(number)))
        let north = try NodeName("north")
        let id = Samples.shot(number)
        await rig.bench.links.wait(forNodes: [north]) { order in
            if case .prepare(let order) = order { order.shot == id } else { false }
        }
        try await rig.bench.armed("north", number)
        await rig.bench.links.wait(forNodes: [north]) { order in
            if case .fire(let order) = order { order.shot == id } else { false }
        }
        try await rig.bench.captured("north", bytes, number)
        try await rig.store(try Samples.fileKey(number, "north/cam"), bytes)
        #expect(await answers.value.last?.shot?.status == .complete)
    }

    private func delete(
        _ rig: ServiceBench, _ number: Int64 = 1, evenOnlyCopy: Bool = false
    ) async -> RigAnswer? {
        let request = ShotDeletionRequest(shot: Samples.shot(number), evenOnlyCopy: evenOnlyCopy)
        return await rig.answers(to: .delete(request), by: anna).value.last
    }

    private func events(_ rig: ServiceBench) -> [RigEvent] {
        rig.bench.links.asked.value.events.map(\.source.event).filter { $0.name.rawValue.hasSuffix(".deleted") }
    }

    @Test(arguments: [false, true])
    func `Deletes a shot of which there is another copy, and tells who and when to whoever asks`(
        isBucket: Bool
    ) async throws {
        let rig = try await rig(objects: isBucket ? MemoryObjectStore(MemoryBucket()) : nil)
        let deletion = try #require(await delete(rig)?.deletion)
        #expect(deletion.by == "anna@studio-1" && deletion.reason == .requested && !deletion.wasOnlyCopy)
        #expect(deletion.files == 1 && deletion.byteCount == 1000)
        let range = AssetRange(shot: Samples.shot(), file: "north.cam/photo.jpg", offset: 0, count: 10)
        for query in [RigQuery.shot(Samples.shot()), .verification(of: Samples.shot()), .assetPart(range)] {
            let refusal = try #require(await rig.answer(to: query)?.refusal)
            #expect(refusal.code == .deleted && refusal.message.contains("by anna@studio-1"), "\(refusal)")
        }
        let told = try #require(events(rig).first)
        #expect(told.name.rawValue == "shot.deleted" && told.shot == Samples.shot())
        #expect(
            told.details == [
                "by": "anna@studio-1", "reason": "requested", "onlyCopy": "false", "files": "1", "byteCount": "1000",
            ])
        #expect(await rig.bench.rig.shotCounts.deleted == [.requested: 1])
        #expect(try await rig.bench.reading.shots(limit: 9).shots.isEmpty)
        await rig.bench.end()
    }

    @Test func `A file that was read before is known as deleted, too`() async throws {
        let rig = try await rig()
        let query = RigQuery.assetPart(
            AssetRange(shot: Samples.shot(), file: "north.cam/photo.jpg", offset: 0, count: 10))
        guard case .assetPart? = await rig.answer(to: query) else {
            Issue.record("the file cannot be read")
            return
        }
        _ = await delete(rig)
        #expect(await rig.answer(to: query)?.refusal?.code == .deleted)
        await rig.bench.end()
    }

    @Test func `Keeps the only copy unless it is told otherwise, and says why it is the only one`() async throws {
        copies.shortfall.withLock { $0 = "/mnt/archive has no copy of it" }
        let rig = try await rig()
        let refusal = try #require(await delete(rig)?.refusal)
        #expect(refusal.code == .onlyCopy)
        #expect(refusal.message.contains("/mnt/archive has no copy of it") && refusal.message.contains("--only-copy"))
        #expect(await rig.answer(to: .shot(Samples.shot()))?.shot != nil && events(rig).isEmpty)
        #expect(await delete(rig, evenOnlyCopy: true)?.deletion?.wasOnlyCopy == true)
        await rig.bench.end()
    }

    @Test func `Without a copy that is configured every shot is the only one`() async throws {
        let rig = try await rig(knowsCopies: false)
        #expect(await delete(rig)?.refusal?.message.contains("library.copy") == true)
        #expect(await delete(rig, evenOnlyCopy: true)?.deletion != nil)
        await rig.bench.end()
    }

    @Test func `A repeat is answered like the first, and deletes nothing else`() async throws {
        let rig = try await rig()
        let first = try #require(await delete(rig)?.deletion)
        #expect(await delete(rig)?.deletion == first)
        #expect(await delete(rig, evenOnlyCopy: true)?.deletion == first)
        #expect(events(rig).count == 1)
        #expect(await rig.bench.rig.shotCounts.deleted == [.requested: 1])
        #expect(await delete(rig, 2)?.refusal?.code == .unknownShot)
        await rig.bench.end()
    }

    @Test func `A trigger with the id of a deleted shot takes no picture`() async throws {
        let rig = try await rig()
        let first = try #require(await delete(rig)?.deletion)
        let refusal = try #require(await rig.bench.refusal(rig.bench.order()))
        #expect(refusal.code == .deleted && refusal.message.contains(first.sentence))
        #expect(await rig.bench.rig.shotIDs.isEmpty)
        await rig.bench.end()
    }

    @Test func `Refuses a shot in progress, with what it waits for`() async throws {
        let bench = try await RigBench(folder: folder, copies: copies)
        let rig = try ServiceBench(bench)
        try await bench.hello("north")
        _ = rig.answers(to: .trigger(bench.order()))
        await bench.links.wait(forNodes: [try NodeName("north")]) { $0.isPrepare }
        let refusal = try #require(await delete(rig, evenOnlyCopy: true)?.refusal)
        #expect(refusal.code == .conflict && refusal.message.contains("1 of its 1 cameras"), "\(refusal)")
        #expect(await bench.rig.shotIDs == [Samples.shot()])
        await bench.end()
    }

    @Test func `Files that a node still offers of a deleted shot are orphans, and are not collected`() async throws {
        let rig = try await rig()
        #expect(await delete(rig)?.deletion != nil)
        rig.bench.links.asked.change { ($0.collected, $0.released) = ([:], []) }
        let report = try await rig.bench.report("north", bytes)
        try await rig.bench.hello("north", epoch: 2, inventory: [report])
        await rig.bench.rig.accept(.captureResult(.captured(report)), from: try NodeName("north"))
        let asked = rig.bench.links.asked.value
        #expect(asked.collected.isEmpty && asked.released.isEmpty, "the node's copy stays")
        #expect(asked.events.map(\.source.event.name.rawValue).contains("spool.orphaned"))
        #expect(await rig.bench.rig.shotIDs.isEmpty)
        #expect(try await rig.bench.library.shot(Samples.shot()) == nil)
        await rig.bench.end()
    }

    @Test func `Deletes only what the requester has seen, if a condition says so`() async throws {
        let rig = try await rig()
        func delete(_ version: ContentDigest?) async -> RigAnswer? {
            var requester = Requester(anna, Role.admin.permissions, Samples.requester())
            requester.requestNumber = .random(in: 1 ... .max)
            let command = RigCommand.delete(ShotDeletionRequest(shot: Samples.shot(), evenOnlyCopy: false))
            var last: RigAnswer?
            let condition = ChangeCondition(version.map { [$0] } ?? [])
            for await answer in rig.service.perform(.command(command, by: requester, if: condition)) { last = answer }
            return last
        }
        guard case .shot(let seen)? = await rig.answer(to: .shot(Samples.shot())) else {
            Issue.record("the shot cannot be read")
            return
        }
        _ = await rig.answers(to: .annotate(Samples.shot(), ShotAnnotationEdit(title: "x"))).value
        #expect(await delete(seen.version)?.refusal?.code == .preconditionFailed)
        guard case .shot(let now)? = await rig.answer(to: .shot(Samples.shot())) else {
            Issue.record("the shot is gone")
            return
        }
        #expect(await delete(now.version)?.deletion != nil)
        await rig.bench.end()
    }

    @Test func `A deletion that a crash has cut short is finished and told at the next start`() async throws {
        let rig = try await rig()
        let shot = try #require(try await rig.bench.library.shot(Samples.shot()))
        let deletion = ShotDeletion(of: shot, at: 7, by: anna, .requested, wasOnlyCopy: true)
        await rig.bench.end()
        let library = folder.path + "/library"
        let record = try JSONSerialization.data(withJSONObject: [
            "schemaVersion": 1,
            "deletion": try JSONSerialization.jsonObject(with: JSONEncoder().encode(deletion)),
        ])
        try FileManager.default.createDirectory(atPath: library + "/.deleting", withIntermediateDirectories: false)
        try record.write(to: URL(filePath: "\(library)/.deleting/\(shot.id).json"))
        await rig.bench.rig.finishDeletions()
        #expect(try await rig.bench.library.deletion(of: shot.id) == deletion)
        #expect(try await rig.bench.library.shot(shot.id) == nil)
        #expect(events(rig).count == 1)
    }
}

extension RigDeletionTests {
    private func keeper(
        _ rule: CoordinatorConfiguration.Retention?, _ rig: ServiceBench, audit: (any RequestAudit)? = nil,
        free: @escaping @Sendable () async -> Int64? = { 0 }
    ) -> RetentionKeeper {
        var log = Logger(label: "test")
        log.logLevel = .critical
        return RetentionKeeper(
            rule, rig: rig.bench.rig, shots: rig.bench.reading, freeBytes: free, audit: audit,
            clock: rig.bench.clock, log: log)
    }

    @Test func `Retention deletes nothing without a rule`() async throws {
        let rig = try await rig()
        let keeper = keeper(nil, rig)
        await keeper.pass()
        #expect(keeper.status == nil && events(rig).isEmpty)
        await rig.bench.end()
    }

    @Test func `Retention deletes the oldest until the disk has the bytes, and records it`() async throws {
        let rig = try await rig()
        for number in Int64(2)...3 { try await take(rig, number) }
        let audit = MemoryRequestAudit()
        // Each deletion frees 600 bytes, as the disk would tell.
        let keeper = keeper(.init(free: ByteCount(1000)), rig, audit: audit) { [links = rig.bench.links] in
            Int64(links.asked.value.events.count { $0.source.event.name.rawValue == "shot.deleted" } * 600)
        }
        #expect(keeper.status?.checkedRealtimeNanoseconds == nil)
        await keeper.pass()
        let deleted = events(rig).compactMap(\.shot)
        #expect(deleted == [1, 2].map { Samples.shot($0) }, "the third one has room")
        #expect(events(rig).allSatisfy { $0.details["by"] == "coordinator" && $0.details["reason"] == "space" })
        #expect(audit.recorded.map(\.request.subject) == deleted.map(\.description))
        #expect(audit.recorded.allSatisfy { $0.request.kind == .deletion && $0.requester.principal == .coordinator })
        await rig.bench.end()
    }

    @Test func `Retention holds back only copies, what people have annotated and what is young, and says so`()
        async throws
    {
        let rig = try await rig()
        for number in Int64(2)...3 { try await take(rig, number) }
        _ = await rig.answers(to: .annotate(Samples.shot(2), ShotAnnotationEdit(note: "the best"))).value
        copies.shortfall.withLock { $0 = "/mnt/archive is not mounted" }
        let young = keeper(.init(age: .seconds(3600)), rig)
        await young.pass()
        #expect(young.status?.heldBack == [:] && young.status?.checkedRealtimeNanoseconds != nil)
        let keeper = keeper(.init(free: ByteCount(1000)), rig)
        await keeper.pass()
        #expect(events(rig).isEmpty)
        let status = try #require(keeper.status)
        #expect(status.heldBack == [.onlyCopy: 2, .annotated: 1] && status.lackingBytes == 1000)
        #expect(status.example?.contains("/mnt/archive is not mounted") == true)
        keeper.change(.init(free: ByteCount(1000), onlyCopies: .delete))
        await keeper.pass()
        #expect(events(rig).compactMap(\.shot) == [Samples.shot(1), Samples.shot(3)])
        #expect(events(rig).allSatisfy { $0.details["onlyCopy"] == "true" })
        #expect(keeper.status?.heldBack == [.annotated: 1])
        await rig.bench.end()
    }
}

extension RigAnswer {
    fileprivate var deletion: ShotDeletion? { if case .deletedShot(let deletion) = self { deletion } else { nil } }
}
