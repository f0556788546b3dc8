import CaptureModel
import DoctorTestSupport
import Foundation
import Glibc
import RigConfiguration
import SystemClock
import Testing

@testable import Doctor
@testable import PosixSupport

/// All facts of a machine that lacks nothing.
struct SampleMachine: HealthySample {
    var spool = DiskFacts(
        "spool", at: "/var/lib/caprig/spool", setting: "spool.folder", user: "caprig", neededBytes: 300_000_000,
        wantedBytes: 2_500_000_000)
    var keys = DiskFacts(
        "keys", at: "/var/lib/caprig/spool/keys", setting: "keys.folder", user: "caprig", neededBytes: 65_536,
        isPrivate: true)
    var clock = ClockFacts(isSynchronized: true, services: [.timesyncd])
    var frames = ListenFacts(
        "capagentd", "live pictures", setting: "frames.listen", host: "*", port: 7800, state: .free,
        hasRemotePeers: true)
    var coordinator = CoordinatorFacts(
        TCPEndpoint(host: "rig", port: 7710), channels: SampleMachine.channels(), interface: "eth0")
    var limits = LimitFacts(
        "capagentd", descriptors: 524_288, isRunning: true, backlog: 4096, receiveBufferBytes: 6_291_456,
        libraryVersion: "4.3.4",
        isLibraryHardened: true, isProgramReplaced: false)
    var encoders = [
        EncoderFacts("ffmpeg", missingPackage: nil, users: "clips of front, side", consequence: "clips are refused"),
        EncoderFacts("libavformat", missingPackage: nil, users: "clips of front, side", consequence: "there are none"),
    ]
    var cameras: [CameraFacts]

    static let connection = TCPCheck.Connection(packetBytes: 1500, ownAddress: "192.168.10.2")

    init() throws {
        cameras = [try Self.camera("front"), try Self.camera("side")]
        for disk in [\SampleMachine.spool, \.keys] {
            self[keyPath: disk].room = FileSystemRoom(freeBytes: 50_000_000_000, freeFiles: 1_000_000)
            self[keyPath: disk].mount = Mount(point: "/var", type: "ext4")
            self[keyPath: disk].ignoresPermissions = false
            self[keyPath: disk].speed = DiskSpeed(bytesPerSecond: 90_000_000, sync: .milliseconds(20))
        }
        spool.demandBytesPerSecond = 20_000_000
    }

    static func camera(_ name: String) throws -> CameraFacts {
        CameraFacts(
            try DeviceName(name), user: "caprig", authorization: .authorized,
            bus: SessionCost.USBBus(number: 1, limitBytesPerSecond: 48_000_000), streamBytesPerSecond: 18_000_000)
    }

    static func channels(_ answers: [CoordinatorPort: TCPCheck.Answer] = [:]) -> [CoordinatorFacts.Channel] {
        [CoordinatorPort.control, .clock, .collect].map { channel in
            .init(channel, port: channel.standard, answers[channel] ?? .open(connection))
        }
    }

    func examined() -> Examination {
        var examination = Examination()
        examination.perform(DiskFacts.checks, on: [spool, keys])
        examination.perform(ClockFacts.checks, on: clock)
        examination.perform(ListenFacts.checks, on: frames)
        examination.perform(CoordinatorFacts.checks, on: coordinator)
        examination.perform(LimitFacts.checks, on: limits)
        examination.perform(EncoderFacts.checks, on: encoders)
        examination.perform(CameraFacts.checks, on: cameras)
        examination.perform(BusFacts.checks, on: BusFacts.buses(of: cameras))
        return examination
    }
}

extension PlantedFault<SampleMachine> {
    private static var refused: PosixError {
        PosixError(code: EACCES, operation: "add to folder", subject: "/var/lib/caprig/spool")
    }

    static var all: [Self] {
        [
            // Disks.
            PlantedFault(.folderNotWritable, .problem, "install -d -o caprig -m 0750 /var/lib/caprig/spool") {
                $0.spool.refusal = refused
            },
            PlantedFault(.diskReadOnly, .problem, "mount -o remount,rw /var") { $0.spool.room?.isReadOnly = true },
            PlantedFault(.diskFull, .problem, "du -xh -d 2 /var") { $0.spool.room?.freeBytes = 299_999_999 },
            PlantedFault(.diskNearlyFull, .warning, "du -xh -d 2 /var") { $0.spool.room?.freeBytes = 2_000_000_000 },
            PlantedFault(.inodesUsedUp, .problem, "du --inodes -x -d 2 /var") { $0.spool.room?.freeFiles = 3 },
            PlantedFault(.publishingImpossible, .problem, "set `spool.folder`") {
                $0.spool.unsuitable = UnsuitableFileSystem(
                    path: "/var", contents: "the spool", remedy: "",
                    cause: PosixError(code: EINVAL, operation: "rename", subject: "x"))
            },
            PlantedFault(.permissionsIgnored, .problem, "set `keys.folder`") { $0.keys.ignoresPermissions = true },
            PlantedFault(.filesLimited, .warning, "--segment-size 4GB") { $0.spool.mount?.type = "vfat" },
            PlantedFault(.notDurable, .warning, "set `spool.folder`") { $0.spool.mount?.type = "tmpfs" },
            PlantedFault(.diskSlow, .warning, "iostat") { $0.spool.speed?.bytesPerSecond = 19_000_000 },
            PlantedFault(.syncSlow, .warning, "iostat") { $0.spool.speed?.sync = .milliseconds(1001) },
            // Clocks.
            PlantedFault(.clockUnsynchronized, .warning, "timedatectl timesync-status") {
                $0.clock.isSynchronized = false
            },
            PlantedFault(.clockUnsynchronized, .warning, "timedatectl set-ntp true") {
                $0.clock = ClockFacts(isSynchronized: false, services: [])
            },
            PlantedFault(.clockContended, .warning, "systemctl disable --now") { $0.clock.services.insert(.phc2sys) },
            PlantedFault(.ptpUnused, .warning, "phc2sys@") { $0.clock.services = [.ptp] },
            PlantedFault(.machineSlept, .warning, "systemctl mask sleep.target") { $0.clock.slept = .seconds(75) },
            // Ports.
            PlantedFault(.addressMissing, .problem, "ip -br address") {
                $0.frames.state = .noAddress("no such address")
            },
            PlantedFault(.portTaken, .problem, "ss -ltnp 'sport = :7800'") { $0.frames.state = .taken(by: "nginx") },
            PlantedFault(.loopbackOnly, .warning, "systemctl restart capagentd") { $0.frames.host = "127.0.0.1" },
            // The coordinator.
            PlantedFault(.hostUnresolved, .problem, "getent hosts rig") {
                $0.coordinator.obstacle = "Name or service not known"
                $0.coordinator.channels = []
            },
            PlantedFault(.coordinatorClosed, .problem, "systemctl enable --now capcoordd") {
                $0.coordinator.channels = SampleMachine.channels([
                    .control: .refused, .clock: .refused, .collect: .refused,
                ])
            },
            PlantedFault(.coordinatorSilent, .problem, "ping -c 3 rig") {
                $0.coordinator.channels = SampleMachine.channels([
                    .control: .silent, .clock: .silent, .collect: .silent,
                ])
            },
            PlantedFault(.channelClosed, .problem, "dport '{ 7711, 7712 }'") {
                $0.coordinator.channels = SampleMachine.channels([.clock: .silent, .collect: .silent])
            },
            PlantedFault(.keyMissing, .problem, "capctl node invite NAME") { $0.coordinator.keys = .missing },
            PlantedFault(.keyUnusable, .problem, "what the sentence says") {
                $0.coordinator.keys = .unusable("chmod 600 x")
            },
            PlantedFault(.keyRefused, .problem, "capagentd join CODE") { $0.coordinator.keys = .refused(nil) },
            PlantedFault(.wrongCoordinator, .problem, "set `coordinator`") { $0.coordinator.keys = .foreign },
            PlantedFault(.packetsSmall, .warning, "ip link set dev eth0 mtu 1500") {
                let narrow = TCPCheck.Answer.open(TCPCheck.Connection(packetBytes: 576, ownAddress: "192.168.10.2"))
                $0.coordinator.channels = SampleMachine.channels([.control: narrow])
            },
            // Limits and programs.
            PlantedFault(.descriptorsFew, .problem, "LimitNOFILE=65536") { $0.limits.descriptors = 256 },
            PlantedFault(.backlogSmall, .warning, "sysctl -w net.core.somaxconn=4096") { $0.limits.backlog = 16 },
            PlantedFault(.buffersSmall, .warning, "sysctl -w net.ipv4.tcp_rmem=") {
                $0.limits.receiveBufferBytes = 65_536
            },
            PlantedFault(.libraryAbortable, .warning, "apt install caprig-agent") {
                $0.limits.isLibraryHardened = false
            },
            PlantedFault(.programReplaced, .warning, "systemctl restart capagentd") {
                $0.limits.isProgramReplaced = true
            },
            PlantedFault(.encoderMissing, .warning, "apt install ffmpeg && systemctl restart capagentd") {
                $0.encoders[0].missingPackage = "ffmpeg"
            },
            PlantedFault(.encoderMissing, .warning, "apt install libavformat59 && systemctl restart capagentd") {
                $0.encoders[1].missingPackage = "libavformat59"
            },
            // Cameras.
            PlantedFault(.cameraAbsent, .problem, "capagentd --list-devices") {
                $0.cameras[0].authorization = .notDetermined
                $0.cameras[0].remedy = "there is no /dev/video0: plug the camera in"
            },
            PlantedFault(.cameraDenied, .problem, "usermod -aG video caprig") { $0.cameras[0].authorization = .denied },
            PlantedFault(.busNarrow, .problem, "lsusb -t") { $0.cameras[0].streamBytesPerSecond = 36_000_000 },
        ]
    }
}

@Suite struct PlantedFaultTests {
    @Test func `is silent about a machine that lacks nothing`() throws {
        let examination = try SampleMachine().examined()
        #expect(examination.findings == [])
        #expect(examination.text == "nothing found: \(examination.checks) checks\n")
        #expect(examination.exitStatus == 0)
    }

    @Test(arguments: PlantedFault<SampleMachine>.all)
    func `finds a planted fault alone, and names its remedy in 80 columns`(_ fault: PlantedFault<SampleMachine>) throws
    {
        #expect(try fault.mistakes() == [])
    }

    @Test func `finds many faults at once, problems first`() throws {
        var machine = try SampleMachine()
        machine.spool.room?.freeFiles = 3
        machine.limits.backlog = 16
        machine.coordinator.keys = .missing
        let examination = machine.examined()
        #expect(examination.findings.map(\.code) == [.inodesUsedUp, .keyMissing, .backlogSmall])
        #expect(examination.summary.hasPrefix("2 problems, 1 warning, "))
    }

    @Test func `counts only checks that could tell`() throws {
        var machine = try SampleMachine()
        let all = machine.examined().checks
        machine.spool.speed = nil
        machine.spool.unsuitable = nil
        // Publishing, throughput and sync were not tried.
        #expect(machine.examined().checks == all - 3)
        machine.coordinator.keys = .unanswered
        #expect(machine.examined().checks == all - 4)
    }

    @Test func `a bus counts each camera on it, and none on another`() throws {
        var cameras = [try SampleMachine.camera("a"), try SampleMachine.camera("b"), try SampleMachine.camera("c")]
        cameras[2].bus = SessionCost.USBBus(number: 2, limitBytesPerSecond: 48_000_000)
        let buses = BusFacts.buses(of: cameras)
        #expect(buses.map(\.bytesPerSecond) == [36_000_000, 18_000_000])
        #expect(buses.map(\.cameras) == [["a", "b"], ["c"]])
    }

    @Test func `a camera of unknown format leaves open whether a bus suffices`() throws {
        var cameras = [try SampleMachine.camera("a"), try SampleMachine.camera("b")]
        cameras[1].streamBytesPerSecond = nil
        var examination = Examination()
        examination.perform(BusFacts.checks, on: BusFacts.buses(of: cameras))
        #expect(examination.checks == 0)
    }

    @Test func `text of a device cannot act on a terminal`() throws {
        var machine = try SampleMachine()
        machine.frames.state = .taken(by: "a\u{1B}[2Jb")
        #expect(!machine.examined().text.contains("\u{1B}"))
    }
}

@Suite struct DoctorPageTests {
    /// The codes in the tables of `docs/doctor.md`.
    private func listed() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/doctor.md")
            .standardized
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cell = line.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) ?? ""
            guard line.hasPrefix("| `"), cell.hasPrefix("`"), cell.hasSuffix("`"), !cell.contains(" ") else {
                return nil
            }
            return String(cell.dropFirst().dropLast())
        }
    }

    @Test func `the page lists each finding once`() throws {
        #expect(try listed().sorted() == Finding.Code.allCases.map(\.rawValue).sorted())
    }
}
