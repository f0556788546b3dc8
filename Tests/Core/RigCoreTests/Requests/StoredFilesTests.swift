import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import MemoryObjectStore
import PosixSupport
import RigSecurity
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Reading stored files for front ends.
@Suite(.timeLimit(.minutes(10))) struct StoredFilesTests {
    private let folder: TemporaryFolder
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    private static let name = "north.cam/photo.jpg"

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A rig whose library has shot 1 with the file `name` in it.
    private func rig(fault: FileFault? = nil, objects: MemoryObjectStore? = nil) async throws -> ServiceBench {
        let rig = try ServiceBench(try await RigBench(folder: folder, fault: fault, objects: objects))
        try await rig.bench.hello("north")
        let answers = rig.answers(to: .trigger(rig.bench.order()))
        let north = try NodeName("north")
        await rig.bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await rig.bench.armed("north")
        await rig.bench.links.wait(forNodes: [north]) { $0.isFire }
        try await rig.bench.captured("north", bytes)
        try await rig.store(try Samples.fileKey(), bytes)
        let shot = await answers.value.last?.shot
        #expect(shot?.captures.first?.files.first?.path == Self.name)
        return rig
    }

    private func query(_ offset: Int64 = 0, _ count: Int = 400, _ file: String = name, shot: Int64 = 1) -> RigQuery {
        .assetPart(AssetRange(shot: Samples.shot(shot), file: file, offset: offset, count: count))
    }

    private var onDisk: String {
        get throws {
            let shot = try #require(try FolderReader(folder: folder.path + "/library").path(of: Samples.shot()))
            return "\(shot)/\(Self.name)"
        }
    }

    @Test(arguments: [false, true])
    func `gives every part of a file with its length and digest, from a folder and from a bucket`(
        isBucket: Bool
    ) async throws {
        let rig = try await rig(objects: isBucket ? MemoryObjectStore(MemoryBucket()) : nil)
        for (offset, count) in [(Int64(0), 400), (400, 400), (800, 200), (999, 1), (1000, 0)] {
            let part = try #require(await rig.answer(to: query(offset))?.part)
            #expect(part.bytes == Array(bytes[Int(offset)..<(Int(offset) + count)]))
            #expect(part.content == AssetContent(byteCount: 1000, digest: Samples.digest(bytes)))
        }
        await rig.bench.end()
    }

    @Test(arguments: [
        "../shot.json", "shot.json", "north.cam/../north.cam/photo.jpg", "/etc/passwd", "north.cam/photo.jpg/",
        "north.cam", "", "north.cam/photo.jpg\u{0}", "./north.cam/photo.jpg", "north.cam/preview.jpg",
        String(repeating: "x", count: 4096),
    ])
    func `reads no file but those that the manifest names as stored`(_ name: String) async throws {
        let rig = try await rig()
        let refusal = try #require(await rig.answer(to: query(0, 400, name))?.refusal)
        #expect(refusal.code == .unknownFile && refusal.message.utf8.count < 300)
        await rig.bench.end()
    }

    @Test func `refuses an unknown shot and an offset behind the end`() async throws {
        let rig = try await rig()
        #expect(await rig.answer(to: query(shot: 2))?.refusal?.code == .unknownShot)
        #expect(await rig.answer(to: query(1001))?.refusal?.code == .protocolViolation)
        #expect(await rig.answer(to: query(.max, .max))?.refusal?.code == .protocolViolation)
        await rig.bench.end()
    }

    @Test func `names a file that the library no longer has, or has with another length`() async throws {
        let rig = try await rig()
        #expect(await rig.answer(to: query())?.part != nil)
        try Data(bytes.dropLast()).write(to: URL(filePath: onDisk))
        let altered = try #require(await rig.answer(to: query(400))?.refusal)
        #expect(altered.code == .corrupted && altered.message.contains(Self.name))
        try FileManager.default.removeItem(atPath: onDisk)
        let missing = try #require(await rig.answer(to: query(400))?.refusal)
        #expect(missing.code == .fileLost && missing.message.contains(Self.name))
        await rig.bench.end()
    }

    @Test func `finds a file that is stored after another of its shot was read`() async throws {
        let rig = try await rig()
        #expect(await rig.answer(to: query())?.part != nil)
        var shot = try #require(try await rig.bench.library.shot(Samples.shot()))
        let key = FileKey(capture: try Samples.fileKey().capture, kind: .preview)
        _ = try await rig.bench.assets.begin(key, AssetContent(byteCount: 1, digest: Samples.digest([9])))
        try await rig.bench.assets.append([9], to: key, at: 0)
        var preview = CapturedFile(kind: .preview)
        preview.path = try await rig.bench.assets.commit(key).description
        (preview.outcome, preview.byteCount, preview.digest) = (.late, 1, Samples.digest([9]))
        shot.captures[0].files.append(preview)
        shot.revision += 1
        try await rig.bench.library.write(shot)
        #expect(await rig.answer(to: query(0, 400, "north.cam/preview.jpg"))?.part?.bytes == [9])
        await rig.bench.end()
    }

    @Test func `rejects pictures of the shot's cameras and of no others, and deletes none`() async throws {
        let rig = try await rig()
        let (north, south) = (try DeviceID("north/cam"), try DeviceID("south/cam"))
        func edit(_ edit: ShotAnnotationEdit) async -> RigAnswer? {
            await rig.answers(to: .annotate(Samples.shot(), edit)).value.last
        }
        let refusal = try #require(await edit(ShotAnnotationEdit(title: "x", reject: [north, south]))?.refusal)
        #expect(refusal.code == .unknownDevice && refusal.message.contains("south/cam"), "\(refusal)")
        #expect(try await rig.bench.library.annotation(of: Samples.shot()).isEmpty, "nothing of it is done")
        guard case .annotation(let annotation, _)? = await edit(ShotAnnotationEdit(reject: [north])) else {
            Issue.record("it is refused")
            return
        }
        #expect(annotation.rejected == [north])
        #expect(await rig.answer(to: query())?.part != nil)
        // A mark that was written by hand can be taken back.
        guard case .annotation(let none, _)? = await edit(ShotAnnotationEdit(accept: [north, south])) else {
            Issue.record("it is refused")
            return
        }
        #expect(none.isEmpty)
        await rig.bench.end()
    }

    @Test func `a disk that hangs while a file is read delays no shot and no other request`() async throws {
        let disk = HangingReads()
        let rig = try await rig(fault: disk.fault)
        disk.hang()
        // More than one client may have, so that the bounds are reached.
        let clients = RequestAdmission.readLimit / RequestAdmission.readLimitOfRequester
        let reads = (1...UInt8(clients)).flatMap { client in
            (0..<RequestAdmission.readLimitOfRequester).map { _ in
                rig.service.perform(
                    .query(query(), by: Requester(.unnamed, Role.admin.permissions, Samples.requester(client))))
            }
        }
        await disk.held.wait { $0 == 1 }
        #expect(await rig.answer(to: query(), for: 9)?.refusal?.code == .noMemory)
        let second = rig.answers(to: .trigger(rig.bench.order(2)))
        let north = try NodeName("north")
        await rig.bench.links.asked.wait { asked in asked.sent.count { $0.order.isPrepare } == 2 }
        try await rig.bench.armed("north", 2)
        await rig.bench.links.asked.wait { asked in asked.sent.count { $0.order.isFire } == 2 }
        try await rig.bench.captured("north", [1, 2], 2)
        try await rig.store(try Samples.fileKey(2), [1, 2])
        #expect(await second.value.last?.shot?.status == .complete)
        guard case .shot? = await rig.answer(to: .shot(Samples.shot(2))) else {
            Issue.record("a manifest waits for the disk that \(north) does not use")
            return
        }
        guard case .status(let status)? = await rig.answer(to: .status) else {
            Issue.record("the status waits for the disk")
            return
        }
        #expect(status.refusedReads == 1)
        disk.goOn()
        for read in reads {
            for await answer in read { #expect(answer.part?.bytes == Array(bytes[..<400])) }
        }
        await rig.bench.end()
    }
}

extension RigAnswer {
    fileprivate var part: AssetPart? { if case .assetPart(let part, _) = self { part } else { nil } }
}

/// A disk that reads no picture while it hangs.
final class HangingReads: Sendable {
    /// Steps that are held.
    let held = Observed(0)
    private let isHanging = Locked(false)
    private let released = try? EventFlag()

    func hang() { isHanging.withLock { $0 = true } }

    func goOn() {
        isHanging.withLock { $0 = false }
        released?.signal()
    }

    var fault: FileFault {
        { [self] step, path in
            guard step == .read, path.hasSuffix(".jpg"), isHanging.withLock({ $0 }) else { return nil }
            held.change { $0 += 1 }
            return released?.wait(timeoutMilliseconds: 300_000) == true ? nil : 5
        }
    }
}
