import CaptureModel
import CaptureTestSupport
import ControlMessages
import Foundation
import Logging
import PosixSupport
import RigAccess
import RigSecurity
import Testing

@testable import AgentChannels
@testable import NodeCore

@Suite struct ViewerKeysTests {
    private let folder: TemporaryFolder
    private let clock = ManualTimeSource()
    private let key: PublicKey

    init() throws {
        folder = try TemporaryFolder()
        key = try #require(PublicKey(bytes: Array(1...32)))
    }

    /// A run of the agent.
    private func keys() throws -> ViewerKeys {
        var log = Logger(label: "test")
        log.logLevel = .critical
        return try ViewerKeys(
            folder: folder.path + "/keys", executor: try ThreadExecutor(name: "viewers"), clock: clock, log: log)
    }

    private func viewers(_ revision: UInt64) throws -> AdmittedViewers {
        AdmittedViewers(
            revision: revision, holders: [KeyHolder(name: try KeyName("anna"), role: .viewer, key: key)])
    }

    private func admits(_ keys: ViewerKeys) -> Bool {
        keys.snapshot.decide(domain: .frames, key: key).isAdmission
    }

    @Test("Nobody may watch before the coordinator has sent the keys")
    func first() async throws {
        let keys = try keys()
        #expect(!admits(keys) && keys.snapshot.revision == 0)
        await keys.accept(try viewers(7))
        #expect(admits(keys) && keys.snapshot.revision == 7)
    }

    @Test("A later run enforces the stored list, for as long as it would have been enforced")
    func nextRun() async throws {
        try await keys().accept(try viewers(7))
        clock.stepWallClock(by: .seconds(86_000))
        let next = try keys()
        #expect(admits(next) && next.snapshot.revision == 7)
        clock.advance(by: .seconds(399))
        #expect(admits(next))
        clock.advance(by: .seconds(1))
        #expect(!admits(next))
        await next.accept(try viewers(7))
        #expect(admits(next))
    }

    @Test("Nobody may watch after a day without the coordinator, also if the machine slept, and connections end")
    func expiry() async throws {
        let keys = try keys()
        await keys.accept(try viewers(7))
        var changes = keys.changes.makeAsyncIterator()
        #expect(await changes.next()?.revision == 7)
        clock.suspendMachine(for: .seconds(80_000))
        #expect(admits(keys))
        let running = Task { await keys.run() }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: ViewerList.lifetime - .seconds(80_000))
        #expect(await changes.next()?.holders(admittedTo: .frames).isEmpty == true)
        #expect(!admits(keys))
        running.cancel()
        await running.value
    }

    @Test(
        "A wall clock before the last confirmation, or a damaged file, lets nobody watch until the coordinator is there"
    )
    func unknownAge() async throws {
        try await keys().accept(try viewers(7))
        clock.stepWallClock(by: .seconds(-10))
        #expect(!admits(try keys()))
        clock.stepWallClock(by: .seconds(10))
        #expect(admits(try keys()))
        try Data("{".utf8).write(to: URL(filePath: folder.path + "/keys/viewers.json"))
        let damaged = try keys()
        #expect(!admits(damaged))
        await damaged.accept(try viewers(8))
        #expect(admits(damaged))
        #expect(admits(try keys()))
    }

    @Test("A list that is confirmed after the wall clock was set back is enforced by a later run")
    func clockSetBack() async throws {
        let keys = try keys()
        await keys.accept(try viewers(7))
        clock.stepWallClock(by: .seconds(-86_400))
        await keys.accept(try viewers(7))
        #expect(admits(try self.keys()))
    }
}
