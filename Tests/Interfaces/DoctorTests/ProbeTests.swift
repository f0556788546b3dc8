import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import RigConfiguration
import SystemClock
import Testing

@testable import Doctor

@Suite struct ProbeTests {
    private let time = SystemTimeSource()

    private func disk(_ path: String) -> DiskFacts {
        DiskProbe(time: time).examined(DiskFacts("spool", at: path, setting: "spool.folder", user: "me"))
    }

    @Test func `a folder is written to, and keeps nothing of it`() throws {
        let folder = try TemporaryFolder()
        let facts = disk(folder.path)
        #expect(facts.refusal == nil && facts.unsuitable == nil && facts.ignoresPermissions == false)
        #expect(try #require(facts.speed).bytesPerSecond > 0)
        #expect(facts.mount != nil && facts.room?.isReadOnly == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `of a folder that does not exist, the disk that would have it is asked and not written to`() throws {
        let folder = try TemporaryFolder()
        let facts = disk(folder.path + "/a/b")
        #expect(facts.existing == folder.path)
        #expect(facts.room != nil && facts.speed == nil)
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired))
    func `a real disk that is read-only, full or in memory is found`() throws {
        let disk = try SmallDisk()
        func codes() -> Set<Finding.Code> {
            var examination = Examination()
            examination.perform(DiskFacts.checks, on: self.disk(disk.path))
            return Set(examination.findings.map(\.code))
        }
        // It is smaller than what must be free.
        #expect(codes() == [.diskFull, .notDurable])
        #expect(try ExternalTool.run("mount", "-o", "remount,nr_inodes=3", disk.path).status == 0)
        #expect(codes().contains(.inodesUsedUp))
        #expect(try ExternalTool.run("mount", "-o", "remount,ro", disk.path).status == 0)
        #expect(codes() == [.diskReadOnly, .notDurable])
    }

    @Test func `a port that another program has is taken, and of its own program's it is not`() throws {
        let port = try LoopbackPort()
        try port.startListening()
        let taken = MachineProbe.listening(
            on: "127.0.0.1", port: port.number, setting: "frames.listen", "capagentd", nil)
        #expect(taken == .taken(by: RunningProcess(id: getpid())?.name))
        let own = RunningProcess(id: getpid(), name: "capagentd")
        #expect(
            MachineProbe.listening(on: "127.0.0.1", port: port.number, setting: "frames.listen", "capagentd", own)
                == .own)
        #expect(MachineProbe.listening(on: "127.0.0.1", port: 0, setting: "frames.listen", "capagentd", nil) == .free)
    }

    @Test func `an address of another machine cannot be listened on`() {
        // TEST-NET-1 of RFC 5737
        let state = MachineProbe.listening(on: "192.0.2.1", port: 7800, setting: "frames.listen", "capagentd", nil)
        guard case .noAddress = state else { return #expect(Bool(false), "\(state)") }
    }

    @Test func `an open port and a closed one are told apart`() async throws {
        let port = try LoopbackPort()
        try port.startListening()
        let open = TCPEndpoint(host: "127.0.0.1", port: port.number)
        let before = await ReachProbe.answers(of: [open])
        guard case .open(let connection) = before[0] else { return #expect(Bool(false), "\(before)") }
        #expect(connection.ownAddress == "127.0.0.1" && connection.packetBytes ?? 0 > 1280)
        port.stopListening()
        #expect(await ReachProbe.answers(of: [open]) == [.refused])
    }

    @Test func `a coordinator that is away is closed, and a machine without keys has not joined`() async throws {
        let (folder, port) = (try TemporaryFolder(), try LoopbackPort())
        let facts = await ReachProbe(time: time).coordinator(
            TCPEndpoint(host: "127.0.0.1", port: port.number), keys: folder.path + "/keys", environment: [:])
        #expect(facts.channels.map(\.answer).first == .refused)
        #expect(facts.keys == .missing)
    }

    @Test func `this process is found by the lock that names it`() throws {
        let folder = try TemporaryFolder()
        #expect(MachineProbe.daemon("x", using: folder.path) == nil)
        try Data("\(getpid())\n".utf8).write(to: URL(filePath: folder.path + "/.lock"))
        let name = try #require(RunningProcess(id: getpid())?.name)
        #expect(MachineProbe.daemon(name, using: folder.path)?.id == getpid())
        #expect(MachineProbe.daemon("another", using: folder.path) == nil)
    }

    @Test func `the limits of this process are those of the system`() throws {
        let facts = MachineProbe(time: time).limits(of: "capagentd", RunningProcess(id: getpid(), name: "x"))
        #expect(try facts.descriptors == DescriptorLimit.most())
        #expect(facts.isProgramReplaced == false)
    }
}
