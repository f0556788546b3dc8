import CaptureModel
import CaptureTestSupport
import Glibc
import Spool
import Testing

@Suite struct DiscardingTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    let bytes = Samples.bytes(3000)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a discarded capture comes back, takes room, or takes another one with it`() async throws {
        var spool: Spool? = try Samples.spool(folder)
        for number in Int64(1)...3 { try await spool?.store(Samples.key(number), bytes) }
        let gone = try await spool?.discard(Samples.key(2))
        #expect(gone?.key == (try Samples.key(2)))
        #expect(try await spool?.discard(Samples.key(2)) == nil)
        #expect(await spool?.usage().storedBytes == 6000)
        spool = nil
        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory().map(\.key) == [try Samples.key(1), try Samples.key(3)])
        #expect(reopened.startupFindings == [])
    }

    @Test(arguments: 0..<3)
    func `a crash while discarding leaves a manifest without its file`(_ step: Int) async throws {
        var spool: Spool? = try Samples.spool(folder, disk: disk)
        try await spool?.store(Samples.key(), bytes)
        disk.fail(.crash(at: step))
        await #expect(throws: CaptureProblem.self) { try await spool?.discard(Samples.key()) }
        spool = nil
        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory().count == (step == 0 ? 1 : 0))
        #expect(try folder.names("damaged") == [])
    }

    @Test func `a discard that failed is finished by repeating it`() async throws {
        let spool = try Samples.spool(folder, disk: disk)
        try await spool.store(Samples.key(), bytes)
        disk.fail(.once(at: 1, code: EIO))
        await #expect(throws: CaptureProblem.self) { try await spool.discard(Samples.key()) }
        #expect(await spool.inventory().count == 1)
        #expect(try await spool.discard(Samples.key()) != nil)
        #expect(try folder.names("captures") == [])
    }

    @Test func `damaged captures are not found, or not removed whole`() async throws {
        var spool: Spool? = try Samples.spool(folder)
        for number in Int64(1)...2 { try await spool?.store(Samples.key(number), bytes) }
        spool = nil
        let photo = try folder.names("captures").first { $0.contains("\(Samples.shot(1))") && $0.hasSuffix(".jpg") }
        try folder.write("short", to: "captures/\(try #require(photo))")
        try folder.write("foreign", to: "damaged/notes.txt")
        let reopened = try Samples.spool(folder)
        let damaged = try await reopened.damagedCaptures()
        #expect(damaged.map(\.key) == [try Samples.key(1)])
        #expect(damaged.first?.names.count == 2)
        #expect(try await reopened.discardDamaged(Samples.key(2)) == nil)
        #expect(try await reopened.discardDamaged(Samples.key(1)) == damaged.first)
        #expect(try folder.names("damaged") == ["notes.txt"])
        #expect(await reopened.inventory().map(\.key) == [try Samples.key(2)])
    }

    @Test func `a long inventory is listed with gaps, twice, or in another order than that of the shots`() async throws
    {
        let spool = try Samples.spool(folder)
        for number in [Int64(5), 1, 4, 2, 3] { try await spool.store(Samples.key(number), bytes) }
        var listed: [CaptureKey] = []
        var hasMore = true
        while hasMore {
            let page = await spool.inventory(after: listed.last, limit: 2)
            listed += page.captures.map(\.key)
            hasMore = page.hasMore
        }
        #expect(listed == (try (1...5).map { try Samples.key($0) }))
    }

    @Test func `a capture of which a file was removed or cut by hand is listed with what is left of it`() async throws {
        let spool = try Samples.spool(folder)
        for number in Int64(1)...4 { try await spool.store(Samples.key(number), bytes) }
        #expect(try await spool.holdings(limit: 10).captures.map(\.isWhole) == [true, true, true, true])
        let names = try folder.names("captures")
        func name(_ number: Int64, _ suffix: String) throws -> String {
            try #require(names.first { $0.contains("\(Samples.shot(number))") && $0.hasSuffix(suffix) })
        }
        let (photo, manifest) = (try name(1, ".jpg"), try name(3, "capture.json"))
        _ = unsafe unlink("\(folder.path)/captures/\(photo)")
        try folder.write("short", to: "captures/\(try name(2, ".jpg"))")
        _ = unsafe unlink("\(folder.path)/captures/\(manifest)")
        let listed = try await spool.holdings(limit: 3)
        #expect(listed.captures.map(\.report.key) == (try (1...3).map { try Samples.key($0) }) && listed.hasMore)
        #expect(listed.captures.map(\.isWhole) == [false, false, false])
        #expect(listed.captures.map(\.files) == [0, 0, 1] && listed.captures.map(\.byteCount) == [0, 0, 3000])
        let rest = try await spool.holdings(after: Samples.key(3), limit: 3)
        #expect(rest.captures.map(\.isWhole) == [true] && !rest.hasMore)
        #expect(try await spool.discard(Samples.key(1)) != nil, "what is left can be discarded")
    }
}
