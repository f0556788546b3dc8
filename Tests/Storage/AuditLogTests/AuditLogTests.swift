import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import Testing

@testable import AuditLog

@Suite struct AuditLogTests {
    let stage: AuditStage

    init() throws {
        stage = try AuditStage()
    }

    private func code(_ body: () async throws -> Void) async -> AuditError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? AuditError)?.code }
    }

    @Test func `Numbers records from 1, continues after a restart, and verifies as a whole`() async throws {
        for round in 0..<3 {
            let log = try stage.open()
            for number in 1...3 {
                let head = try await log.commit(.sample(number))
                #expect(head.sequence == UInt64(round * 3 + number))
                #expect(try await stage.reader().head() == head)
            }
            try await log.close()
        }
        let found = try await stage.reader().verify()
        #expect(found.isIntact && found.intact == [1...9] && found.unfinishedBytes == 0)
        #expect(try stage.files() == ["000000000001.audit"])
    }

    @Test func `Keeps folder and files from everybody else`() async throws {
        let log = try stage.open()
        try await log.commit(.sample(1))
        for (name, mode) in [("", 0o700), ("/.lock", 0o600), ("/000000000001.audit", 0o600)] {
            #expect(FileAccess(path: stage.path + name).ownership?.permissions == UInt32(mode))
        }
    }

    @Test func `Refuses a folder that others may use, and says how to change that`() async throws {
        _ = try stage.open()
        try Folder(opening: stage.path).setPermissions(0o750)
        let error = #expect(throws: AuditError.self) { try stage.open() }
        #expect(error?.code == .notPrivate && error?.description.contains("chmod 700 \(stage.path)") == true)
    }

    @Test func `Refuses a second writer of a folder`() async throws {
        let log = try stage.open()
        #expect(await code { _ = try stage.open() } == .inUse)
        withExtendedLifetime(log) {}
    }

    @Test func `Writes what waits when it is closed, and nothing afterwards`() async throws {
        let log = try stage.open()
        log.record(.sample(1))
        try await log.close()
        #expect(await code { try await log.commit(.sample(2)) } == .inputOutput)
        let next = try stage.open()
        #expect(try await next.commit(.sample(3)).sequence == 2)
    }

    @Test func `Makes a record durable before it returns from commit`() async throws {
        let log = try stage.open()
        stage.disk.fail(nil)
        try await log.commit(.sample(1))
        #expect(stage.disk.steps.suffix(4) == [.open, .write, .syncFile, .syncFolder])
        try await log.commit(.sample(2))
        #expect(stage.disk.steps.suffix(2) == [.write, .syncFile])
    }

    @Test func `Makes records that wait together durable together`() async throws {
        let log = try stage.open()
        try await log.commit(.sample(0))
        stage.disk.fail(.every(.write, code: ENOSPC))
        for number in 1...50 { log.record(.sample(number)) }
        #expect(await code { try await log.flush() } == .noSpace)
        stage.disk.fail(nil)
        // An attempt under way would refuse what is committed during it.
        try await log.flush()
        try await log.commit(.sample(51))
        #expect(stage.disk.steps.count { $0 == .syncFile } <= 4)
        #expect(try await stage.reader().verify().intact == [1...52])
    }

    @Test func `Throws from commit on a full disk, claims nothing, and goes on when there is room`() async throws {
        let log = try stage.open()
        try await log.commit(.sample(1))
        stage.disk.fail(.every(.write, code: ENOSPC))
        #expect(await code { try await log.commit(.sample(2)) } == .noSpace)
        #expect(await log.head.sequence == 1)
        stage.disk.fail(nil)
        #expect(try await log.commit(.sample(3)).sequence == 2)
        #expect(try await stage.reader().list(limit: 9).records.map(\.entry.subject) == ["key 3", "key 1"])
        #expect(try await stage.reader().verify().isIntact)
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired))
    func `Has no part of a record on a disk that is really full, and goes on when there is room`() async throws {
        let disk = try SmallDisk()
        let log = try AuditLog(
            folder: disk.path + "/audit", clock: stage.clock, executor: try ThreadExecutor(name: "audit"))
        let reader = try AuditReader(folder: disk.path + "/audit")
        var durable = try await log.commit(.sample(1)).sequence
        try disk.fill(leaving: 0)
        var error: AuditError?
        while error == nil {
            do throws(AuditError) { durable = try await log.commit(.sample(2)).sequence } catch let found {
                error = found
            }
        }
        #expect(error?.code == .noSpace)
        let found = try await reader.verify()
        #expect(found.intact == [1...durable])
        try disk.free()
        #expect(try await log.commit(.sample(3)).sequence == durable + 1)
        let after = try await reader.verify()
        #expect(after.isIntact && after.intact == [1...(durable + 1)] && after.unfinishedBytes == 0)
    }

    @Test func `Keeps queued entries while the disk is full, and writes them when it works`() async throws {
        let log = try stage.open()
        stage.disk.fail(.every(.write, code: ENOSPC))
        log.record(.sample(1))
        #expect(await code { try await log.flush() } == .noSpace)
        let keeping = Task { await log.keepWriting() }
        await stage.clock.sleepers(atLeast: 1)
        stage.disk.fail(nil)
        await stage.clock.step()
        try await log.flush()
        #expect(try await stage.reader().list(limit: 9).records.map(\.entry.subject) == ["key 1"])
        keeping.cancel()
        await keeping.value
    }

    @Test func `Survives a failure at any step of the disk`() async throws {
        for code in [EIO, ENOSPC] {
            for step in 0..<5 {
                let stage = try AuditStage()
                let log = try stage.open()
                stage.disk.fail(.once(at: step, code: code))
                var subjects: [String] = []
                for number in 1...3 where (try? await log.commit(.sample(number))) != nil {
                    subjects.append("key \(number)")
                }
                #expect(subjects.count >= 2)
                #expect(try await stage.reader().list(limit: 9).records.reversed().map(\.entry.subject) == subjects)
                #expect(try await stage.reader().verify().isIntact, "step \(step)")
            }
        }
    }

    @Test func `Drops entries beyond the queue's limit, and says in the log how many`() async throws {
        let log = try stage.open(queueLimit: 4)
        stage.disk.fail(.every(.open, code: ENOSPC))
        log.record(.sample(0))
        #expect(await code { try await log.flush() } == .noSpace)
        for number in 1...9 { log.record(.sample(number)) }
        #expect(log.dropped == 6)
        #expect(await code { try await log.commit(.sample(10)) } == .overloaded)
        stage.disk.fail(nil)
        try await log.flush()
        log.record(.sample(11))
        try await log.flush()
        let records = try await stage.reader().list(limit: 9).records.reversed()
        #expect(
            records.map(\.entry.subject) == [
                "key 0", "key 1", "key 2", "key 3", "6 records were lost", "key 11",
            ])
        #expect(records.first { $0.entry.kind == .lost }?.entry.details == ["count": "6"])
    }

    @Test func `Stays below its limit, and vouches for what is left`() async throws {
        let log = try stage.open()
        let text = String(repeating: "x", count: 250)
        let details = Dictionary(uniqueKeysWithValues: (1...8).map { ("detail \($0)", text) })
        let first = try await log.commit(.sample(0))
        for _ in 1...15 {
            for _ in 1...50 { log.record(AuditEntry(.change, subject: "setting", details: details)) }
            try await log.flush()
            let sizes = try stage.files().map { try stage.bytes($0).count }
            #expect(sizes.reduce(0, +) <= 1 << 20)
        }
        let found = try await stage.reader().verify(against: first)
        let oldest = try #require(found.intact.first?.lowerBound)
        #expect(found.problemCount == 0 && found.intact == [oldest...751] && oldest > 100)
        #expect(found.comparison == .tooOld(oldest: oldest))
        let head = try #require(try await stage.reader().head())
        #expect(try await stage.reader().verify(against: head).isIntact)
    }

    @Test func `Cuts a text that is too long, and any text fits a line`() async throws {
        let long = String(repeating: "\u{1}", count: 5000)
        let entry = AuditEntry(
            AuditKind(rawValue: long), by: AuditPrincipal(name: long, fingerprint: long), subject: long,
            details: Dictionary(uniqueKeysWithValues: (10...99).map { ("\($0)" + long, long) }))
        #expect(entry.details.count == 12 && entry.details["…"] == "79 more")
        #expect(entry.subject.utf8.count <= 256 && entry.subject.hasSuffix("…"))
        let log = try stage.open()
        try await log.commit(entry)
        #expect(try await stage.reader().verify().isIntact)
        #expect(try await stage.reader().list(limit: 1).records.map(\.entry) == [entry])
        let empty = AuditEntry(AuditKind(rawValue: ""), subject: "")
        #expect(AuditRecord(empty, realtimeNanoseconds: 0, after: .empty).line.count + 1 >= AuditRecord.lineMinimum)
    }

    @Test func `Lists newest first, page by page, by kind and principal`() async throws {
        let log = try stage.open()
        for number in 1...10 {
            let name = number % 2 == 0 ? "even" : "odd"
            try await log.commit(
                AuditEntry(
                    number % 5 == 0 ? .deletion : .trigger, by: AuditPrincipal(name: name, fingerprint: ""),
                    subject: "\(number)"))
        }
        let reader = try stage.reader()
        var (seen, next, pages) = ([String](), UInt64?.none, 0)
        repeat {
            let page = try await reader.list(before: next, limit: 2, AuditFilter(principal: "odd"))
            seen += page.records.map(\.entry.subject)
            next = page.next
            pages += 1
        } while next != nil
        #expect(seen == ["9", "7", "5", "3", "1"] && pages == 3)
        #expect(try await reader.list(limit: 9, AuditFilter(kinds: [.deletion])).records.map(\.sequence) == [10, 5])
    }
}
