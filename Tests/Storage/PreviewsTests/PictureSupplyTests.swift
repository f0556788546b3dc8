import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import StorageKit
import Testing

@testable import Previews

/// Small pictures that somebody waits for.
@Suite(.timeLimit(.minutes(10))) struct PictureSupplyTests {
    private let stage: StoredShot
    private let news = Observed<[PreviewNotice]>([])
    private let time = ManualTimeSource()
    private let maker: PreviewMaker
    private let reader: PreviewReader

    init() throws {
        stage = try StoredShot()
        reader = try PreviewReader(folder: stage.folder.path)
        maker = try PreviewMaker(stage.reader(), folder: stage.folder.path, clock: time) { [news] item in
            news.change { $0.append(item) }
        }
    }

    /// The file of a kind of a stored shot.
    private func file(_ shot: Shot, _ kind: AssetKind = .photo) throws -> PicturedFile {
        let file = try #require(shot.captures[0].files.first { $0.kind == kind })
        return try #require(PicturedFile(file, of: shot.captures[0], in: shot))
    }

    private func running(_ body: () async throws -> Void) async throws {
        let running = Task { await maker.run() }
        try await body()
        running.cancel()
        await running.value
    }

    /// Why a file has no small pictures.
    private func failure(_ file: PicturedFile) async -> any Error {
        do {
            try await maker.supply(file)
            return CancellationError()
        } catch {
            return error
        }
    }

    /// A wait that has begun.
    private func waiting(_ file: PicturedFile, _ count: Int) async -> Task<Void, any Error> {
        let task = Task { try await maker.supply(file) }
        while maker.counters.wanted < count { await Task.yield() }
        return task
    }

    @Test("Makes the picture that somebody waits for before those of newer shots, once for all who wait")
    func first() async throws {
        let shots = try await [
            stage.store([.photo: Pictures.jpeg(640, 480)], 1), stage.store([.photo: Pictures.jpeg(640, 480)], 2),
            stage.store([.photo: Pictures.jpeg(640, 480)], 3),
        ]
        let wanted = try file(shots[0])
        #expect(try await reader.picture(.thumbnail, of: wanted) == nil)
        let waits = [await waiting(wanted, 1), await waiting(wanted, 2)]
        try await running {
            for wait in waits { try await wait.value }
            let thumbnail = try #require(try await reader.picture(.thumbnail, of: wanted))
            #expect(try Pictures.decoded(thumbnail).width == 256)
            #expect(try Pictures.decoded(#require(try await reader.picture(.preview, of: wanted))).width == 640)
            await news.wait { $0.count == 3 }
            #expect(news.value == [.made(wanted.key), .made(try file(shots[2]).key), .made(try file(shots[1]).key)])
            // It exists by then, and is not made again.
            try await maker.supply(wanted)
        }
        #expect(maker.counters.made == 3 && maker.counters.wanted == 3)
    }

    @Test("Makes a picture again that a power cut has cut or emptied")
    func cut() async throws {
        try await running {
            // Only what somebody waits for is made from here on.
            while maker.counters.comparisons < 1 { await Task.yield() }
            let wanted = try file(try await stage.store([.photo: Pictures.jpeg(640, 480)]))
            try await maker.supply(wanted)
            let whole = try #require(try await reader.picture(.preview, of: wanted))
            for damaged in [[], Array(whole.dropLast(9)), [UInt8](repeating: 0, count: whole.count)] {
                _ = try stage.folder.write(damaged, as: stage.tree() + "/photo.preview.jpg")
                #expect(try await reader.picture(.preview, of: wanted) == nil)
                try await maker.supply(wanted)
                #expect(try await reader.picture(.preview, of: wanted) == whole)
            }
        }
    }

    @Test("Says why there is no picture of a file: it is none, is gone, or is not the one of the manifest")
    func impossible() async throws {
        let text = try await stage.store([.photo: Array("no picture".utf8)], 1)
        let lost = try await stage.store([.photo: Pictures.jpeg(64, 48)], 2)
        let other = try await stage.store([.photo: Pictures.jpeg(64, 48)], 3)
        let days = "\(stage.folder.path)/2026/11/21"
        try FileManager.default.removeItem(atPath: "\(days)/\(lost.id)/north.cam1/photo.jpg")
        try Data(Pictures.jpeg(64, 48) + [0]).write(to: URL(filePath: "\(days)/\(other.id)/north.cam1/photo.jpg"))
        try await running {
            #expect(try await (failure(file(text)) as? PictureProblem)?.description.contains("header") == true)
            // It is stored as the answer to whoever asks next.
            await #expect(throws: PictureProblem.self) { try await reader.picture(.preview, of: file(text)) }
            #expect(try await (failure(file(lost)) as? StorageError)?.code == .notFound)
            let altered = try await failure(file(other)) as? StorageError
            #expect(altered?.code == .corrupted && altered?.cause.contains("its manifest says") == true)
            #expect(try await reader.picture(.preview, of: file(other)) == nil)
        }
    }

    @Test("Knows which kinds of files have small pictures")
    func kinds() async throws {
        let shot = try await stage.store([
            .photo: Pictures.jpeg(64, 48), .alternatePhoto: [1], .pairedVideo: [1], .preview: Pictures.jpeg(64, 48),
        ])
        let pictured = shot.captures[0].files.filter { PicturedFile($0, of: shot.captures[0], in: shot) != nil }
        #expect(pictured.map(\.kind) == [.photo])
        var pending = shot.captures[0].files[0]
        pending.outcome = .pending
        #expect(PicturedFile(pending, of: shot.captures[0], in: shot) == nil)
    }

    @Test("Refuses at once while nothing can be written, and makes the picture when that is over")
    func refused() async throws {
        let shot = try await stage.store([.photo: Pictures.jpeg(64, 48)])
        let wanted = try file(shot)
        var other: PreviewStore? = try PreviewStore(library: stage.folder.path)
        let early = await waiting(wanted, 1)
        try await running {
            await #expect(throws: StorageError.self) { try await early.value }
            let refusal = await failure(wanted) as? StorageError
            #expect(refusal?.code == .inputOutput && refusal?.cause.contains("within a minute") == true)
            withExtendedLifetime(other) {}
            other = nil
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(1))
            await news.wait { $0.contains(.made(wanted.key)) }
            try await maker.supply(wanted)
        }
        #expect(maker.counters.failures == 1)
    }

    @Test("Ends every wait with its own end")
    func ended() async throws {
        let shot = try await stage.store([.photo: Pictures.jpeg(64, 48)])
        try await running {}
        #expect(try await (failure(file(shot)) as? StorageError)?.code == .inputOutput)
    }
}
