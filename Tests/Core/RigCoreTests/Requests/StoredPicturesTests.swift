import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import PosixSupport
import Previews
import RigSecurity
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Small pictures for front ends.
@Suite(.timeLimit(.minutes(10))) struct StoredPicturesTests {
    private let folder: TemporaryFolder
    private static let name = "north.cam/photo.jpg"

    init() throws {
        folder = try TemporaryFolder()
    }

    private var library: String { folder.path + "/library" }

    /// A rig whose library has shot 1 with these bytes as its photo, and what makes small pictures.
    private func rig(
        _ bytes: [UInt8] = Samples.jpeg, makes: Bool = true, fault: FileFault? = nil
    ) async throws -> (rig: ServiceBench, maker: PreviewMaker?) {
        let bench = try await RigBench(folder: folder)
        let maker =
            makes
            ? try PreviewMaker(
                FolderReader(folder: library, fault: fault), folder: library, clock: bench.clock, tell: { _ in }) : nil
        let rig = try ServiceBench(bench, pictures: (try PreviewReader(folder: library), maker))
        try await bench.hello("north")
        try await shoot(rig, 1, bytes)
        return (rig, maker)
    }

    /// Takes a shot of one camera with these bytes as its photo.
    private func shoot(_ rig: ServiceBench, _ number: Int64, _ bytes: [UInt8]) async throws {
        let answers = rig.answers(to: .trigger(rig.bench.order(number)))
        await rig.bench.links.asked.wait { asked in asked.sent.count { $0.order.isPrepare } == Int(number) }
        try await rig.bench.armed("north", number)
        await rig.bench.links.asked.wait { asked in asked.sent.count { $0.order.isFire } == Int(number) }
        try await rig.bench.captured("north", bytes, number)
        try await rig.store(try Samples.fileKey(number), bytes)
        #expect(await answers.value.last?.shot?.status == .complete)
    }

    private func query(
        _ file: String = name, shot: Int64 = 1, as picture: SmallPicture = .thumbnail
    ) -> RigQuery {
        .picture(PictureRequest(shot: Samples.shot(shot), file: file, picture: picture))
    }

    private func ended(_ rig: ServiceBench, _ running: Task<Void, Never>?) async {
        running?.cancel()
        await running?.value
        await rig.bench.end()
    }

    @Test func `gives the picture of a stored file with the file's length and digest, and makes it if there is none`()
        async throws
    {
        let (rig, maker) = try await rig()
        let running = Task { await maker?.run() ?? () }
        for picture in SmallPicture.allCases {
            let answer = try #require(await rig.answer(to: query(as: picture))?.picture)
            #expect(answer.bytes.starts(with: [0xFF, 0xD8]) && answer.bytes != Samples.jpeg)
            #expect(
                answer.content
                    == AssetContent(byteCount: Int64(Samples.jpeg.count), digest: Samples.digest(Samples.jpeg)))
        }
        #expect(maker?.counters.made == 1)
        await ended(rig, running)
    }

    @Test func `names an unknown shot, an unknown file, and a file of which there is no picture`() async throws {
        let (rig, maker) = try await rig(Array("no picture".utf8))
        let running = Task { await maker?.run() ?? () }
        #expect(await rig.answer(to: query(shot: 2))?.refusal?.code == .unknownShot)
        for name in [
            "../shot.json", "shot.json", ".previews/x", "", "north.cam/photo.jpg\u{0}", "north.cam/preview.jpg",
        ] {
            #expect(await rig.answer(to: query(name))?.refusal?.code == .unknownFile)
        }
        // The first answer waits for the attempt, the second reads what has become of it.
        for _ in 0..<2 {
            let refusal = try #require(await rig.answer(to: query())?.refusal)
            #expect(refusal.code == .noPicture && refusal.message.contains("header"), "\(refusal)")
        }
        await ended(rig, running)
    }

    @Test func `names a kind of file that has no small pictures`() async throws {
        let (rig, _) = try await rig(makes: false)
        var shot = try #require(try await rig.bench.library.shot(Samples.shot()))
        let key = FileKey(capture: try Samples.fileKey().capture, kind: .pairedVideo)
        _ = try await rig.bench.assets.begin(key, AssetContent(byteCount: 1, digest: Samples.digest([9])))
        try await rig.bench.assets.append([9], to: key, at: 0)
        var clip = CapturedFile(kind: .pairedVideo)
        clip.path = try await rig.bench.assets.commit(key).description
        (clip.outcome, clip.byteCount, clip.digest) = (.late, 1, Samples.digest([9]))
        shot.captures[0].files.append(clip)
        shot.revision += 1
        try await rig.bench.library.write(shot)
        let refusal = try #require(await rig.answer(to: query("north.cam/pairedVideo.mov"))?.refusal)
        #expect(refusal.code == .noPicture && refusal.message.contains("made of stills"), "\(refusal)")
        let unmade = try #require(await rig.answer(to: query())?.refusal)
        #expect(unmade.code == .noPicture && unmade.message.contains("library.previews"), "\(unmade)")
        await ended(rig, nil)
    }

    @Test func `tells a file that is lost or altered before its picture was made, and keeps a picture that exists`()
        async throws
    {
        let (rig, maker) = try await rig()
        try await shoot(rig, 2, Samples.jpeg)
        let reader = try FolderReader(folder: library)
        let photos = try (1...2 as ClosedRange<Int64>).map { number in
            try #require(try reader.path(of: Samples.shot(number))) + "/" + Self.name
        }
        try Data(Samples.jpeg + [0]).write(to: URL(filePath: photos[1]))
        let running = Task { await maker?.run() ?? () }
        let altered = try #require(await rig.answer(to: query(shot: 2))?.refusal)
        #expect(altered.code == .corrupted && altered.message.contains("manifest"), "\(altered)")
        try FileManager.default.removeItem(atPath: photos[1])
        #expect(await rig.answer(to: query(shot: 2))?.refusal?.code == .fileLost)
        #expect(await rig.answer(to: query())?.picture != nil)
        try FileManager.default.removeItem(atPath: photos[0])
        #expect(await rig.answer(to: query())?.picture != nil)
        await ended(rig, running)
    }

    @Test func `a disk that hangs while a picture is made delays no shot and no other request`() async throws {
        let disk = HangingReads()
        let (rig, maker) = try await rig(fault: disk.fault)
        disk.hang()
        let running = Task { await maker?.run() ?? () }
        // More than one client may have, so that the bounds are reached.
        let clients = RequestAdmission.readLimit / RequestAdmission.readLimitOfRequester
        let reads = (1...UInt8(clients)).flatMap { client in
            (0..<RequestAdmission.readLimitOfRequester).map { _ in
                rig.service.perform(
                    .query(query(), by: Requester(.unnamed, Role.admin.permissions, Samples.requester(client))))
            }
        }
        await disk.held.wait { $0 == 1 }
        let refusal = try #require(await rig.answer(to: query(), for: 9)?.refusal)
        #expect(refusal.code == .noMemory && refusal.message.contains("small pictures"))
        try await shoot(rig, 2, [1, 2])
        guard
            case .assetPart(let part, _)? = await rig.answer(
                to: .assetPart(AssetRange(shot: Samples.shot(2), file: Self.name, offset: 0, count: 2)))
        else {
            Issue.record("a file waits for a picture")
            return
        }
        #expect(part.bytes == [1, 2])
        guard case .status(let status)? = await rig.answer(to: .status) else {
            Issue.record("the status waits for the disk")
            return
        }
        #expect(status.refusedPictures == 1 && status.refusedReads == 0)
        disk.goOn()
        for read in reads {
            for await answer in read { #expect(answer.picture?.bytes.isEmpty == false, "\(answer)") }
        }
        #expect(maker?.counters.made == 1, "once for all who wait")
        await ended(rig, running)
    }
}

extension RigAnswer {
    fileprivate var picture: PictureAnswer? { if case .picture(let answer, _) = self { answer } else { nil } }
}
