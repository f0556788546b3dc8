import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import Glibc
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@Suite struct ReceivingTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    let bytes = Samples.bytes(2500)
    let path = "north.cam1/photo.jpg"

    init() throws {
        folder = try TemporaryFolder()
    }

    private func library(_ disk: FaultyDisk? = nil) async throws -> FolderStore {
        let library = try Samples.library(folder, disk: disk)
        try await library.write(Samples.shot())
        return library
    }

    private func stored() throws -> [UInt8] { try folder.read("\(Samples.folder())/\(path)") }

    private func code(_ work: () async throws -> Void) async -> StorageError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    @Test func `a collected file lies in its place with its bytes, and nothing else is left`() async throws {
        let library = try await library()
        #expect(try await library.collect(Samples.photo(), bytes) == path)
        #expect(try stored() == bytes)
        #expect(try folder.names(".incoming") == [])
        #expect(try await library.collect(Samples.photo(device: "south/cam1"), []) == "south.cam1/photo.jpg")
    }

    @Test func `collecting a file again changes nothing`() async throws {
        let library = try await library()
        try await library.collect(Samples.photo(), bytes)
        let digest = try Samples.digest(bytes)
        #expect(try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 2500)
        #expect(try await library.finish(Samples.photo()) == path)
        #expect(try stored() == bytes)
    }

    @Test(.timeLimit(.minutes(10))) func `what is there of a long file is hashed while manifests and files wait`()
        async throws
    {
        let (reading, begun) = AsyncStream.makeStream(of: Void.self)
        let goOn = try EventFlag()
        let library = try FolderStore(
            folder: folder.path,
            fault: { step, path in
                guard step == .read, path.hasSuffix("photo.jpg") else { return nil }
                begun.yield()
                // A minute at most, so that a failing test ends; then the manifest was not written.
                return goOn.wait(timeoutMilliseconds: 300_000) ? nil : EIO
            })
        try await library.write(Samples.shot())
        let digest = try Samples.digest(bytes)
        try await library.collect(Samples.photo(), bytes)
        async let offset = library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        for await _ in reading { break }
        try await library.write(Samples.shot(2))
        try await library.collect(Samples.photo(2), bytes)
        goOn.signal()
        #expect(try await offset == 2500)
        #expect(try await library.finish(Samples.photo()) == path)
        #expect(try stored() == bytes)
    }

    @Test(.timeLimit(.minutes(10))) func `a first manifest, or another node's file, waits for the bytes of a file`()
        async throws
    {
        let (writing, begun) = AsyncStream.makeStream(of: Void.self)
        let goOn = try EventFlag()
        let library = try FolderStore(
            folder: folder.path,
            fault: { step, path in
                guard step == .write, path.contains(".north."), path.hasSuffix(".part") else { return nil }
                begun.yield()
                // A minute at most, so that a failing test ends; then the manifest was not written.
                return goOn.wait(timeoutMilliseconds: 300_000) ? nil : EIO
            })
        try await library.write(Samples.shot())
        async let location = library.collect(Samples.photo(), bytes)
        for await _ in writing { break }
        try await library.write(Samples.shot(2))
        #expect(try await library.shot(Samples.shotID(2)) != nil)
        let other = try await library.collect(Samples.photo(2, device: "south/cam1"), bytes)
        #expect(other == "south.cam1/photo.jpg")
        goOn.signal()
        #expect(try await location == path)
    }

    @Test func `a file that does not come at present keeps its descriptor, or is begun again`() async throws {
        let library = try await library()
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<1000]))
        let part = try #require(try folder.names(".incoming").first)
        #expect(try openFiles(named: part) == 1)
        try await library.suspendReceiving(Samples.photo())
        #expect(try openFiles(named: part) == 0)
        #expect(try await library.collect(Samples.photo(), bytes) == path)
        #expect(try stored() == bytes)
    }

    /// How many descriptors this process has of this library's part of that name.
    private func openFiles(named name: String) throws -> Int {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return descriptors.count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target?.hasSuffix("\(folder.url.lastPathComponent)/.incoming/\(name)") == true
        }
    }

    @Test func `another file of the same name is refused, and the first one stays`() async throws {
        let library = try await library()
        try await library.collect(Samples.photo(), bytes)
        let other = Samples.bytes(2500, seed: 9)
        #expect(await code { try await library.collect(Samples.photo(), other) } == .conflict)
        #expect(await code { _ = try await library.finish(Samples.photo()) } == .invalidRequest)
        #expect(try stored() == bytes)
    }

    @Test(arguments: [0, 1, 1000, 2499, 2500]) func `a transfer that a restart cut is mixed with what was there`(
        _ received: Int
    ) async throws {
        let digest = try Samples.digest(bytes)
        var first: FolderStore? = try await library()
        _ = try await first?.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await first?.receive(Samples.photo(), offset: 0, bytes: Samples.bytes(received, seed: 3))
        first = nil

        let second = try await library()
        #expect(try await second.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 0)
        try await second.receive(Samples.photo(), offset: 0, bytes: bytes)
        #expect(try await second.finish(Samples.photo()) == path)
        #expect(try stored() == bytes)
        #expect(try folder.names(".incoming") == [])
    }

    @Test func `a transfer begins again though the disk failed for a moment only`() async throws {
        let library = try await library(disk)
        let bytes = Samples.bytes(70 << 20, seed: 4)
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: Int64(bytes.count), digest: digest)
        let durable = try await library.assets.append(Array(bytes[..<(40 << 20)]), to: Samples.photo(), at: 0)
        #expect(durable == 40 << 20, "a window was passed, so all of it is synced")
        let next = try await library.assets.append(
            Array(bytes[(40 << 20)..<(41 << 20)]), to: Samples.photo(), at: 40 << 20)
        #expect(next == 40 << 20)
        disk.fail(.once(at: 0, code: EIO))
        #expect(
            await code {
                try await library.receive(Samples.photo(), offset: 41 << 20, bytes: Array(bytes[(41 << 20)...]))
            } == .inputOutput)
        disk.fail(nil)
        let offset = try await library.beginReceiving(Samples.photo(), byteCount: Int64(bytes.count), digest: digest)
        #expect(offset == 40 << 20, "what is durable is not sent again")
        try await library.receive(Samples.photo(), offset: offset, bytes: Array(bytes[(40 << 20)...]))
        #expect(try await library.finish(Samples.photo()) == path)
        #expect(try stored() == bytes)
    }

    @Test func `what came of a file lies in the library for ever when its shot has its result without it`() async throws
    {
        let digest = try Samples.digest(bytes)
        let library = try await library()
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<1000]))
        _ = try await library.openShots()
        #expect(try folder.names(".incoming").count == 1, "an open shot's transfer goes on")
        var shot = try Samples.shot()
        shot.status = .partial
        try await library.write(shot)
        _ = try await library.openShots()
        #expect(try folder.names(".incoming") == [])
    }

    @Test func `bytes that are not what was announced never reach the library`() async throws {
        let library = try await library()
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Samples.bytes(2500, seed: 3))
        #expect(await code { _ = try await library.finish(Samples.photo()) } == .corrupted)
        #expect(try folder.names("\(Samples.folder())/north.cam1") == [])
        #expect(try folder.names(".quarantine").count == 1)
        #expect(try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 0)
        try await library.receive(Samples.photo(), offset: 0, bytes: bytes)
        #expect(try await library.finish(Samples.photo()) == path)
    }

    @Test func `what a confused or hostile node sends is refused`() async throws {
        let library = try await library()
        let key = try Samples.photo()
        let digest = try Samples.digest(bytes)
        #expect(await code { _ = try await library.receive(key, offset: 0, bytes: [1]) } == .invalidRequest)
        #expect(await code { _ = try await library.finish(key) } == .invalidRequest)
        #expect(
            await code { _ = try await library.beginReceiving(key, byteCount: -1, digest: digest) }
                == .invalidRequest)
        #expect(await code { _ = try await library.beginReceiving(key, byteCount: .max, digest: digest) } == .noSpace)
        let unknown = try Samples.photo(2)
        #expect(
            await code { _ = try await library.beginReceiving(unknown, byteCount: 1, digest: digest) } == .notFound)

        _ = try await library.beginReceiving(key, byteCount: 2500, digest: digest)
        try await library.receive(key, offset: 0, bytes: Array(bytes[..<1000]))
        for offset in [Int64.min, -1, 0, 999, 1001, .max] {
            #expect(await code { _ = try await library.receive(key, offset: offset, bytes: [1]) } == .invalidRequest)
        }
        #expect(await code { _ = try await library.receive(key, offset: 1000, bytes: bytes) } == .invalidRequest)
        #expect(await code { _ = try await library.finish(key) } == .invalidRequest)
        try await library.receive(key, offset: 1000, bytes: Array(bytes[1000...]))
        #expect(try await library.finish(key) == path)
    }

    @Test func `a file announced again with other bytes starts over`() async throws {
        let library = try await library()
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: Samples.digest(bytes))
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<1000]))
        let other = Samples.bytes(2000, seed: 5)
        try await library.collect(Samples.photo(), other)
        #expect(try stored() == other)
        #expect(try folder.names(".incoming") == [])
    }

    @Test func `an abandoned file leaves nothing behind`() async throws {
        let library = try await library()
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<1000]))
        try await library.abandon(Samples.photo())
        #expect(try folder.names(".incoming") == [])
        #expect(try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 0)
    }

    @Test func `a camera's folder that is a link elsewhere receives nothing`() async throws {
        let outside = try TemporaryFolder()
        let library = try await library()
        let place = "\(folder.path)/\(Samples.folder())/north.cam1"
        try FileManager.default.removeItem(atPath: place)
        _ = unsafe symlink(outside.path, place)
        #expect(await code { try await library.collect(Samples.photo(), bytes) } == .inputOutput)
        #expect(try outside.names() == [])
    }

    @Test func `a late file of a settled shot finds its place`() async throws {
        let library = try await library()
        var shot = try Samples.shot()
        shot.status = .partial
        try await library.write(shot)
        #expect(try await library.collect(Samples.photo(), bytes) == path)
        #expect(try stored() == bytes)
    }

    @Test func `bytes are durable before the file shows in its place`() async throws {
        let library = try await library(disk)
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: bytes)
        disk.fail(nil)
        _ = try await library.finish(Samples.photo())
        #expect(disk.steps == [.syncFile, .rename, .syncFolder])
    }

    @Test func `bytes the disk could not keep are fetched again, not believed the second time`() async throws {
        let library = try await library(disk)
        disk.fail(.every(.syncFile, code: EIO))
        #expect(await code { try await library.collect(Samples.photo(), bytes) } == .inputOutput)
        disk.fail(nil)
        #expect(try folder.names(".incoming") == [])
        let digest = try Samples.digest(bytes)
        #expect(try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 0)
    }

    /// Three chunks and all of the steps of putting it in place.
    @Test(arguments: 0..<7) func `a crash while collecting leaves the whole file or none, and it is collected after`(
        _ step: Int
    ) async throws {
        var library: FolderStore? = try await library(disk)
        disk.fail(.crash(at: step))
        #expect(await code { try await library?.collect(Samples.photo(), bytes) } == .inputOutput)
        library = nil
        let isThere = try folder.names("\(Samples.folder())/north.cam1") == ["photo.jpg"]
        #expect(isThere == (step == 6))
        if isThere { #expect(try stored() == bytes) }

        let reopened = try await self.library()
        #expect(try await reopened.collect(Samples.photo(), bytes) == path)
        #expect(try stored() == bytes)
        #expect(try folder.names(".incoming") == [])
    }

    @Test(arguments: 0..<7, [ENOSPC, EIO, EROFS])
    func `a disk that fails once is an outcome, and the file is collected after`(
        _ step: Int, _ failure: CInt
    ) async throws {
        let library = try await library(disk)
        disk.fail(.once(at: step, code: failure))
        let expected: StorageError.Code = failure == ENOSPC ? .noSpace : .inputOutput
        #expect(await code { try await library.collect(Samples.photo(), bytes) } == expected)
        disk.fail(nil)
        #expect(try await library.collect(Samples.photo(), bytes) == path)
        #expect(try stored() == bytes)
    }
}
