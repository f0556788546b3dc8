import CaptureModel
import CaptureTestSupport
import FolderStore
import PosixSupport
import RigTestSupport
import ShotDocuments
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

/// Copies on a disk that hangs as long as a test wants.
private struct HangingCopies: ShotCopies {
    let answers = Observed(false)

    func shortfall(of shot: Shot) async -> String? {
        await answers.wait(until: \.self)
        return nil
    }
}

/// What the rig asks its library, without a rig.
@Suite(.timeLimit(.minutes(10))) struct LibraryReaderTests {
    private let clock = ManualTimeSource()
    private let library: ShotLibrary
    private let reader: LibraryReader
    private let late = RigProblem(.inputOutput, "late")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        library = try FolderStore(folder: folder.path + "/library").library
        reader = LibraryReader(library, clock: clock)
    }

    @Test func `A client is answered by its deadline, and its look-up counts until the disk has answered`() async throws
    {
        let disk = Observed(false)
        let due = clock.now() + .seconds(2)
        let asking = Task { [reader, late] () async throws(RigProblem) in
            try await reader.ask(by: due, late) { _ throws(StorageError) in
                await disk.wait(until: \.self)
                return 7
            }
        }
        await clock.sleeper(until: due)
        #expect(reader.lookupCount == 1)
        clock.advance(by: .seconds(2))
        let problem = await #expect(throws: RigProblem.self) { try await asking.value }
        #expect(problem == late && reader.lookupCount == 1)
        disk.change { $0 = true }
        while reader.lookupCount > 0 { await Task.yield() }
        let answer = try await reader.ask(by: clock.now() + .seconds(2), late) { _ throws(StorageError) in 8 }
        #expect(answer == 8 && reader.lookupCount == 0)
    }

    @Test func `Look-ups beyond the limit are refused until one has ended`() async throws {
        let disk = Observed(false)
        let due = clock.now() + .seconds(2)
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<LibraryReader.limit {
                group.addTask { [reader, late] in
                    try? await reader.ask(by: due, late) { _ throws(StorageError) in
                        await disk.wait(until: \.self)
                        return number
                    }
                }
            }
            while reader.lookupCount < LibraryReader.limit { await Task.yield() }
            let problem = await #expect(throws: RigProblem.self) {
                try await reader.ask(by: due, late) { _ throws(StorageError) in 0 }
            }
            #expect(problem?.code == .noMemory)
            disk.change { $0 = true }
            let answers = await group.reduce(into: Set<Int?>()) { $0.insert($1) }
            #expect(answers == Set(0..<LibraryReader.limit))
        }
        let answer = try await reader.ask(by: due, late) { _ throws(StorageError) in 8 }
        #expect(answer == 8)
    }

    @Test func `Copies on a disk that hangs count as unknown within a limit, and again as copies once it answers`()
        async throws
    {
        let copies = HangingCopies()
        let reader = LibraryReader(library, copies: copies, clock: clock)
        let shot = try shot(byteCount: 10 * CopyComparisons.slowestByteRate)
        #expect(CopyComparisons.limit(for: shot) == CopyComparisons.limit + .seconds(10))
        let due = clock.now() + CopyComparisons.limit(for: shot)
        let comparing = Task { await reader.shortfallOfCopies(of: shot) }
        await clock.sleeper(until: due)
        clock.advance(by: CopyComparisons.limit(for: shot))
        #expect(await comparing.value?.contains("was not read within 40 s") == true)
        #expect(await reader.shortfallOfCopies(of: shot)?.contains("does not answer") == true)
        copies.answers.change { $0 = true }
        while await reader.shortfallOfCopies(of: shot) != nil { await Task.yield() }
    }

    @Test func `A capture that no shot of the library expects is an orphan`() async throws {
        let shot = try shot()
        try await library.write(shot)
        #expect(await !reader.isOrphan(try Samples.fileKey(1, "north/cam").capture))
        #expect(await reader.isOrphan(try Samples.fileKey(1, "south/cam").capture))
        #expect(await reader.isOrphan(try Samples.fileKey(2, "north/cam").capture))
        #expect(try await reader.manifest(shot.id)?.shot == shot)
    }

    /// - Parameter byteCount: That of its photo; nil if it is not stored.
    private func shot(byteCount: Int64? = nil) throws -> Shot {
        var capture = Capture(device: try Samples.device("north/cam").description, kinds: [.photo])
        if let byteCount { (capture.files[0].outcome, capture.files[0].byteCount) = (.done, byteCount) }
        let time = RigTime(nanoseconds: 1_000_000_000)
        return Shot(
            id: Samples.shot(), time: time, rigClock: RigClockID(rawValue: "rig-1"),
            wallClock: WallClockPair(monotonic: time, realtimeNanoseconds: 1_800_000_000_000_000_000),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection()), captures: [capture])
    }
}
