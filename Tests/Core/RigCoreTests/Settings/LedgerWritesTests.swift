import CaptureModel
import StorageKit
import Testing

@testable import RigCore

/// The table of what is durable of the settings transactions, without a disk.
@Suite struct LedgerWritesTests {
    private let now = LocalTime(nanoseconds: 1_000_000_000)
    private let full = StorageError(.noSpace, "write", "settings.json", "the disk is full")

    @Test func `A write stores every change before it, and none after it`() {
        var writes = LedgerWrites()
        #expect(writes.next(at: now) == .wait(until: nil))
        #expect([writes.change(), writes.change()] == [1, 2])
        #expect(writes.next(at: now) == .write(through: 2))
        _ = writes.change()
        let isOtherwise = writes.wrote(through: 2, .success(()), at: now)
        #expect(!isOtherwise, "nothing was wrong before")
        #expect([1, 2, 3].map { writes.fate(of: $0) } == [.stored, .stored, .pending])
        #expect(writes.next(at: now) == .write(through: 3))
    }

    @Test func `A failed write is repeated after a second, or with the next change`() {
        var writes = LedgerWrites()
        _ = writes.change()
        let begins = writes.wrote(through: 1, .failure(full), at: now)
        #expect(begins)
        #expect(writes.fate(of: 1) == .failed(full))
        #expect(writes.next(at: now) == .wait(until: now + .seconds(1)))
        #expect(writes.next(at: now + .seconds(1)) == .write(through: 1))
        _ = writes.change()
        #expect(writes.next(at: now) == .write(through: 2), "a new request need not wait")
        let goesOn = !writes.wrote(through: 2, .failure(full), at: now)
        let ends = writes.wrote(through: 2, .success(()), at: now + .seconds(1))
        #expect(goesOn && ends)
        #expect(writes.fate(of: 1) == .stored && writes.next(at: now) == .wait(until: nil))
    }
}
