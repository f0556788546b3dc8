import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Foundation
import SystemClock
import Testing

@testable import CapctlCommands

@Suite(.timeLimit(.minutes(10))) struct ChildProcessTests {
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
        #expect(await child.stop(grace: .seconds(300), time: SystemTimeSource()))
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
        #expect(await first.stop(grace: .seconds(300), time: SystemTimeSource()))
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
        let found = try await child.announcement(
            AgentAnnouncement.self, within: .seconds(300), time: SystemTimeSource())
        #expect(found == AgentAnnouncement(ready: true, node: "n1", devices: 2, running: 1))
        _ = await child.stop(grace: .seconds(300), time: SystemTimeSource())
    }

    @Test func aDaemonThatEndsEarlyIsToldWithTheEndOfItsLog() async throws {
        let child = try await child("echo 'error: no such key' >&2; exit 78")
        do {
            _ = try await child.announcement(AgentAnnouncement.self, within: .seconds(300), time: SystemTimeSource())
            Issue.record("an ended daemon cannot be ready")
        } catch {
            #expect("\(error)".contains("child ended before it was ready"))
            #expect("\(error)".contains("error: no such key"))
        }
    }

    @Test func aProgramThatIsNotThereIsNamed() async {
        #expect(throws: CommandFailure.self) { try DaemonPrograms(folder: folder.path, hasGateway: false) }
        await #expect(throws: CommandFailure.self) {
            try await ChildProcess.start(name: "x", program: "/no/such", arguments: [], logPath: folder.path + "/x.log")
        }
    }
}

extension ChildProcessTests {
    @Test("Needs the gateway's program only for a page") func gateway() throws {
        for name in ["capcoordd", "capagentd"] {
            try #require(
                FileManager.default.createFile(
                    atPath: folder.path + "/" + name, contents: nil, attributes: [.posixPermissions: 0o755]))
        }
        #expect(try DaemonPrograms(folder: folder.path, hasGateway: false).gateway == nil)
        #expect {
            try DaemonPrograms(folder: folder.path, hasGateway: true)
        } throws: { error in
            "\(error)".contains("capwebd")
        }
    }
}

@Suite struct CaptureWatchTests {
    private let shot: ShotID
    private let other: ShotID

    init() throws {
        shot = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"))
        other = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f51"))
    }

    private func event(_ name: String, _ shot: ShotID?, _ device: String? = nil) throws -> RigEvent {
        RigEvent(
            EventName(rawValue: name), realtimeNanoseconds: 0, local: LocalTime(nanoseconds: 0),
            device: try device.map { try DeviceID($0) }, shot: shot)
    }

    @Test("Shows only steps of the chosen shots and cameras")
    func filter() throws {
        var watch = CaptureWatch(shot: shot, devices: [try DeviceID("n1/cam1")])
        #expect(try watch.process(event("capture.willBeginCapture", shot, "n1/cam1")))
        #expect(try !watch.process(event("capture.willBeginCapture", shot, "n1/cam2")))
        #expect(try !watch.process(event("capture.willBeginCapture", other, "n1/cam1")))
        #expect(try !watch.process(event("device.running", nil, "n1/cam1")))
        #expect(try !watch.process(event("shot.accepted", shot)))
        var all = CaptureWatch(shot: nil, devices: [])
        #expect(try all.process(event("capture.didFinishCapture", other, "n1/cam2")))
        #expect(try !all.process(event("shot.settled", other)))
        #expect(!all.isOver)
    }

    @Test(
        "A watched shot or take ends before the last camera has told its end, or never",
        arguments: ["shot.settled", "take.settled"])
    func end(settled: String) throws {
        var watch = CaptureWatch(shot: shot, devices: [])
        _ = try watch.process(event("capture.willBeginCapture", shot, "n1/cam1"))
        _ = try watch.process(event("capture.willBeginCapture", shot, "n2/cam1"))
        _ = try watch.process(event("capture.didFinishCapture", shot, "n1/cam1"))
        #expect(try !watch.process(event(settled, shot)))
        #expect(!watch.isOver)
        _ = try watch.process(event("capture.didFinishCapture", shot, "n2/cam1"))
        #expect(watch.isOver)
    }

    @Test("Shows changes of a scene apart from a shot's steps")
    func scene() throws {
        var all = CaptureWatch(shot: nil, devices: [])
        #expect(try all.process(event("device.sceneChanged", nil, "n1/cam1")))
        #expect(try !all.process(event("device.sceneChanged", nil)))
        var one = CaptureWatch(shot: nil, devices: [try DeviceID("n1/cam2")])
        #expect(try !one.process(event("device.sceneChanged", nil, "n1/cam1")))
        var watched = CaptureWatch(shot: shot, devices: [])
        #expect(try !watched.process(event("device.sceneChanged", nil, "n1/cam1")))
    }

    @Test("Ends for a shot in which no camera took part")
    func nobody() throws {
        var watch = CaptureWatch(shot: shot, devices: [])
        _ = try watch.process(event("shot.settled", other))
        #expect(!watch.isOver)
        _ = try watch.process(event("shot.settled", shot))
        #expect(watch.isOver)
    }

    @Test(arguments: [["--count", "0"], ["nonsense"], ["--device", "cam"]])
    func aWrongCommandLineEndsWith64(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["watch"] + arguments) }
    }
}
