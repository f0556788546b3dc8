import CaptureModel
import RigTestSupport
import Testing

@testable import CoordinatorChannels

@Suite struct CollectRetriesTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)
    private let full = CaptureProblem(.noSpace, "the disk is full")
    private let file = SpooledFile(kind: .photo, byteCount: 5, digest: Samples.digest([1]))

    @Test("a file that a full disk has refused is never fetched, or is asked for without pause")
    func waits() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        var (now, waits) = (start, [Duration]())
        for _ in 1...8 {
            let verdict = retries.failed(key, file, full, at: now)
            let tooSoon = retries.takeDue(at: now)
            let due = try #require(retries.nextInstant)
            waits.append(due - now)
            now = due
            let inTime = retries.takeDue(at: now)
            #expect(verdict == .later && tooSoon.isEmpty && inTime.map(\.key) == [key] && inTime.map(\.file) == [file])
            #expect(retries.nextInstant == nil, "it is being tried")
        }
        #expect(waits == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("a file is fetched again that is stored, or that its node does not have any more")
    func ends() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        _ = retries.failed(key, file, full, at: start)
        retries.forget(key)
        #expect(retries.nextInstant == nil)
        _ = retries.failed(key, file, full, at: start)
        let verdict = retries.failed(key, file, CaptureProblem(.fileLost, "gone"), at: start)
        #expect(verdict == .never && retries.nextInstant == nil)
    }

    @Test("a file that fails a second time before its retry waits twice as long")
    func failedWhileWaiting() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        _ = retries.failed(key, file, full, at: start)
        _ = retries.failed(key, file, full, at: start + .seconds(1))
        #expect(retries.nextInstant == start + .seconds(3))
    }

    @Test("a file that comes damaged is given up at once, or fetched for ever")
    func damaged() throws {
        var retries = CollectRetries()
        let key = try Samples.fileKey()
        let damaged = CaptureProblem(.corrupted, "other bytes than announced")
        let fail = { retries.failed(key, file, $0, at: start) }
        #expect([fail(damaged), fail(damaged), fail(damaged)] == [.again, .again, .never])
        #expect([fail(damaged), fail(full), fail(damaged)] == [.again, .later, .again], "it begins anew")
    }
}
