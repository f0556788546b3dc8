import CaptureSystem
import CaptureTestSupport
import Foundation
import PosixSupport
import Testing

@testable import CapctlCommands

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func child(_ script: String) async throws -> ChildProcess {
        try await ChildProcess.start(
            name: "child", program: "/bin/sh", arguments: ["-c", script], logPath: folder.path + "/child.log")
    }

    @Test func aChildThatFollowsItsInputEndsByItself() async throws {
        let child = try await child("cat >/dev/null; exit 7")
        #expect(await child.stop(grace: .seconds(30), time: SystemTimeSource()))
        #expect(await child.exitStatus() == 7)
    }

    @Test func aChildThatIgnoresItsInputIsKilledAfterTheGrace() async throws {
        let time = ManualTimeSource()
        let child = try await child("exec sleep 600")
        async let ended = child.stop(grace: .seconds(8), time: time)
        await time.step()
        #expect(await !ended)
        #expect(await child.exitStatus() == 128 + 9)
    }

    @Test func noChildHoldsAnothersInputOpen() async throws {
        let first = try await child("cat >/dev/null")
        let second = try await child("exec sleep 600")
        #expect(await first.stop(grace: .seconds(30), time: SystemTimeSource()))
        _ = await second.stop(grace: .zero, time: SystemTimeSource())
    }

    @Test func anEndedChildIsNoZombie() async throws {
        let child = try await child("exit 0")
        _ = await child.exitStatus()
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(child.processIdentifier)"))
    }

    @Test func theAnnouncementIsFoundAmongOtherLines() async throws {
        let child = try await child(
            #"echo hello; echo '{"ready":true,"node":"n1","devices":2,"running":1}'; cat >/dev/null"#)
        let found = try await child.announcement(AgentAnnouncement.self, within: .seconds(30), time: SystemTimeSource())
        #expect(found == AgentAnnouncement(ready: true, node: "n1", devices: 2, running: 1))
        _ = await child.stop(grace: .seconds(30), time: SystemTimeSource())
    }

    @Test func aDaemonThatEndsEarlyIsToldWithTheEndOfItsLog() async throws {
        let child = try await child("echo 'error: no such key' >&2; exit 78")
        do {
            _ = try await child.announcement(AgentAnnouncement.self, within: .seconds(30), time: SystemTimeSource())
            Issue.record("an ended daemon cannot be ready")
        } catch {
            #expect("\(error)".contains("child ended before it was ready"))
            #expect("\(error)".contains("error: no such key"))
        }
    }

    @Test func aProgramThatIsNotThereIsNamed() async {
        #expect(throws: CommandFailure.self) { try DaemonPrograms(folder: folder.path) }
        await #expect(throws: CommandFailure.self) {
            try await ChildProcess.start(name: "x", program: "/no/such", arguments: [], logPath: folder.path + "/x.log")
        }
    }
}
