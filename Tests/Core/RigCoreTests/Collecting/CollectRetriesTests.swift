import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct CollectRetriesTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)
    private let full = RigProblem(.noSpace, "the disk is full")
    private let file = SpooledFile(kind: .photo, byteCount: 5, digest: Samples.digest([1]))

    @Test("Retries a file that a full disk refused, at intervals")
    func waits() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        var (now, waits) = (start, [Duration]())
        for _ in 1...8 {
            let verdict = retries.failed(key, file, full, at: now)
            let tooSoon = retries.removeDue(at: now)
            let due = try #require(retries.nextInstant)
            waits.append(due - now)
            now = due
            let inTime = retries.removeDue(at: now)
            #expect(verdict == .later && tooSoon.isEmpty && inTime.map(\.key) == [key] && inTime.map(\.file) == [file])
            #expect(retries.nextInstant == nil, "it is being tried")
        }
        #expect(waits == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("Retries no file that is stored or gone")
    func ends() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        _ = retries.failed(key, file, full, at: start)
        retries.forget(key)
        #expect(retries.nextInstant == nil)
        _ = retries.failed(key, file, full, at: start)
        let verdict = retries.failed(key, file, RigProblem(.fileLost, "gone"), at: start)
        #expect(verdict == .never && retries.nextInstant == nil)
    }

    @Test("Doubles the wait after a second failure")
    func failedWhileWaiting() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        _ = retries.failed(key, file, full, at: start)
        _ = retries.failed(key, file, full, at: start + .seconds(1))
        #expect(retries.nextInstant == start + .seconds(3))
    }

    @Test("Fetches a damaged file again a limited number of times")
    func damaged() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        let damaged = RigProblem(.corrupted, "other bytes than announced")
        let fail = { retries.failed(key, file, $0, at: start) }
        #expect([fail(damaged), fail(damaged), fail(damaged)] == [.again, .again, .never])
        #expect([fail(damaged), fail(full), fail(damaged)] == [.again, .later, .again], "it begins again")
    }
}
