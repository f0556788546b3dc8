import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import Spool
import Testing

@Suite struct SpoolTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a stored capture can be read back, also after a restart`() async throws {
        let bytes = Samples.bytes(5000)
        var spool: Spool? = try Samples.spool(folder)
        let report = try await spool?.store(Samples.key(), bytes)
        #expect(
            report?.files == [SpooledFile(kind: .photo, byteCount: 5000, digest: try #require(Samples.digest(bytes)))])
        #expect(report?.timing == Samples.timing)
        spool = nil

        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory() == [try #require(report)])
        #expect(try await reopened.report(of: Samples.key()) == report)
        #expect(try await reopened.report(of: Samples.key(2)) == nil)
        #expect(reopened.startupFindings == [])
        #expect(try await reopened.read(Samples.photo(), offset: 0, count: 4096) == Array(bytes[..<4096]))
        #expect(try await reopened.read(Samples.photo(), offset: 4096, count: 4096) == Array(bytes[4096...]))
        #expect(try await reopened.read(Samples.photo(), offset: 9999, count: 1) == [])
        #expect(await reopened.usage().storedBytes == 5000)
    }

    @Test func `storing a capture again keeps the first one`() async throws {
        let spool = try Samples.spool(folder)
        let first = try await spool.store(Samples.key(), Samples.bytes(100))
        let reservation = try await spool.reserve(byteCount: 1000)
        #expect(try await spool.store(Samples.key(), Samples.bytes(100, seed: 7), reservation: reservation) == first)
        #expect(try await spool.read(Samples.photo(), offset: 0, count: 100) == Samples.bytes(100))
        #expect(await spool.usage().reservedBytes == 0)
        #expect(await spool.usage().storedBytes == 100)
    }

    @Test func `only what the library stored is released`() async throws {
        let spool = try Samples.spool(folder)
        let report = try await spool.store(Samples.key(), Samples.bytes(100))
        try await spool.store(Samples.key(2), Samples.bytes(50))
        let other = try #require(Samples.digest([1]))
        let problem = await #expect(throws: CaptureProblem.self) {
            try await spool.release(Samples.photo(), digest: other)
        }
        #expect(problem?.code == .conflict)
        #expect(await spool.inventory().count == 2)

        try await spool.release(Samples.photo(), digest: report.files[0].digest)
        try await spool.release(Samples.photo(), digest: report.files[0].digest)
        #expect(await spool.inventory().map(\.key) == [try Samples.key(2)])
        #expect(await spool.usage().storedBytes == 50)
        #expect(try folder.names("captures").count == 2)
        let lost = await #expect(throws: CaptureProblem.self) {
            try await spool.read(Samples.photo(), offset: 0, count: 1)
        }
        #expect(lost?.code == .fileLost)
    }

    @Test func `an armed camera has room when it stores, whoever else asks`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1000)
        let reservation = try await spool.reserve(byteCount: 600)
        await expectNoSpace { _ = try await spool.reserve(byteCount: 401) }
        await expectNoSpace { try await spool.store(Samples.key(2), Samples.bytes(401)) }
        try await spool.store(Samples.key(), Samples.bytes(600), reservation: reservation)
        let second = try await spool.reserve(byteCount: 400)
        await spool.cancel(second)
        await spool.cancel(second)
        #expect(await spool.usage().reservedBytes == 0)
        _ = try await spool.reserve(byteCount: 400)
    }

    @Test func `a capture larger than its reservation is stored only where there is room`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1000)
        let small = try await spool.reserve(byteCount: 10)
        try await spool.store(Samples.key(), Samples.bytes(900), reservation: small)
        let other = try await spool.reserve(byteCount: 10)
        await expectNoSpace { try await spool.store(Samples.key(2), Samples.bytes(101), reservation: other) }
        #expect(await spool.inventory().count == 1)
    }

    @Test func `space kept free for others is not taken`() async throws {
        let spool = try Samples.spool(folder, limitBytes: .max, reserveFreeBytes: .max / 2)
        await expectNoSpace { _ = try await spool.reserve(byteCount: 1) }
        let absurd = await #expect(throws: CaptureProblem.self) { try await spool.reserve(byteCount: -1) }
        #expect(absurd?.code == .protocolViolation)
    }

    @Test func `two agents do not share a spool`() throws {
        let spool = try Samples.spool(folder)
        #expect(throws: FolderInUse.self) { try Samples.spool(folder) }
        withExtendedLifetime(spool) {}
    }

    @Test func `a file somebody removed is reported lost`() async throws {
        let spool = try Samples.spool(folder)
        try await spool.store(Samples.key(), Samples.bytes(100))
        try FileManager.default.removeItem(atPath: "\(folder.path)/captures/\(Samples.key().fileStem).photo.jpg")
        let lost = await #expect(throws: CaptureProblem.self) {
            try await spool.read(Samples.photo(), offset: 0, count: 1)
        }
        #expect(lost?.code == .fileLost)
    }

    private func expectNoSpace(_ work: () async throws -> Void) async {
        let problem = await #expect(throws: CaptureProblem.self) { try await work() }
        #expect(problem?.code == .noSpace)
    }
}

extension CaptureKey {
    /// How the documentation of the spool says its files are called.
    var fileStem: String { "\(shot).\(device.node).\(device.device)" }
}
