import CaptureTestSupport
import Foundation
import Glibc
import Testing

@testable import PosixSupport

struct DeviceEventTests {
    private static let texts = "ACTION=add\0DEVPATH=/devices/x/video4linux/video0\0SUBSYSTEM=video4linux\0DEVNAME="

    private func kernel(_ name: String) -> [UInt8] {
        Array("add@/devices/x/video4linux/video0\0\(Self.texts)\(name)\0SEQNUM=42\0".utf8)
    }

    /// As systemd-udevd sends it: a header of 40 bytes, in this machine's byte order but for the magic number.
    private func udev(offset: UInt32 = 40, length: UInt32? = nil) -> [UInt8] {
        let texts = Array("\(Self.texts)/dev/video0\0TAGS=:seat:\0".utf8)
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        var header = Array("libudev\0".utf8) + [0xFE, 0xED, 0xCA, 0xFE]
        header += bytes(40) + bytes(offset) + bytes(length ?? UInt32(texts.count))
        header += [UInt8](repeating: 0, count: 40 - header.count)
        return header + texts
    }

    @Test func aCameraPluggedInWouldGoUnnoticed() {
        let event = DeviceEvent(message: kernel("video0"))
        #expect(
            event
                == DeviceEvent(
                    action: "add", subsystem: "video4linux", name: "video0", path: "/devices/x/video4linux/video0",
                    isSettled: false))
    }

    @Test func aCameraWithItsPermissionsGivenWouldGoUnnoticed() {
        let event = DeviceEvent(message: udev())
        #expect(event?.isSettled == true && event?.name == "video0" && event?.action == "add")
    }

    @Test(arguments: [(UInt32(4000), UInt32(8)), (40, 4000), (.max, .max), (40, 0)])
    func aDamagedMessageWouldReadBeyondItsEnd(_ offset: UInt32, _ length: UInt32) {
        #expect(DeviceEvent(message: udev(offset: offset, length: length)) == nil)
    }

    @Test func anyBytesWouldTrap() {
        var seed: UInt64 = 1
        func random() -> UInt8 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 33)
        }
        for message in [kernel("video0"), udev()] {
            for length in 0..<message.count { _ = DeviceEvent(message: Array(message.prefix(length))) }
            for _ in 0..<20_000 {
                var damaged = message
                for _ in 0..<3 { damaged[Int(random()) % damaged.count] = random() }
                _ = DeviceEvent(message: damaged)
            }
        }
    }

    @Test func aWatchWouldKeepItsConsumerForEverAfterItsEnd() async throws {
        var watch: DeviceWatch? = try DeviceWatch(subsystems: ["video4linux"])
        let events = try #require(watch?.events)
        watch = nil
        for await _ in events {}
    }
}

@Suite struct DescriptorLimitTests {
    @Test("Raises the limit of descriptors at the start")
    func raise() throws {
        let limit = try DescriptorLimit.raise()
        var found = rlimit()
        #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &found) == 0)
        #expect(found.rlim_cur == found.rlim_max)
        #expect(limit == Int(clamping: found.rlim_cur))
    }
}

struct FileAccessTests {
    @Test func aDeviceThatMayBeOpenedWouldBeCalledForbidden() throws {
        let access = FileAccess(path: "/dev/null")
        #expect(access.refusal == nil)
        let ownership = try #require(access.ownership)
        #expect(ownership.owner == 0 && ownership.permissions == 0o666 && ownership.groupName == "root")
    }

    @Test func aMissingDeviceWouldBeCalledForbidden() {
        let access = FileAccess(path: "/nowhere/video0")
        #expect(access.refusal?.code == ENOENT && access.ownership == nil)
    }

    @Test func theGroupThatMayOpenAFileWouldBeWrong() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/node"
        try Data().write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let ownership = try #require(FileAccess(path: path).ownership)
        #expect(ownership.group == getegid() && ownership.isInGroup)
        #expect(ownership.permissions == 0o640 && !ownership.groupMayUse)
    }
}

@Suite struct HostAddressesTests {
    @Test(
        "An address is the same in numbers however it is written",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0:0:0:0:0:0:0:1", "::1"), ("::", "::"),
            ("FD00::0001", "fd00::1"),
        ])
    func written(host: String, expected: String) throws {
        #expect(try HostAddresses.of(host) == [expected])
    }

    @Test("Accepts this machine's own name on loopback")
    func localhost() throws {
        let addresses = try HostAddresses.of("localhost")
        #expect(!addresses.isEmpty && addresses.allSatisfy { $0 == "127.0.0.1" || $0 == "::1" })
        #expect(addresses.contains(where: HostAddresses.isOwn))
    }

    @Test("Reports the system's words for text that is not a host", arguments: ["", "1.2.3.4:5", "a b", "::1::"])
    func unknown(host: String) {
        let error = #expect(throws: UnknownHost.self) { try HostAddresses.of(host) }
        #expect(error?.reason.isEmpty == false && error?.description.contains("'\(host)'") == true)
    }

    @Test("Tells another machine's address from this machine's")
    func own() {
        #expect(HostAddresses.isOwn("127.0.0.1") && HostAddresses.isOwn("127.9.9.9") && HostAddresses.isOwn("0.0.0.0"))
        // Reserved for documentation.
        #expect(!HostAddresses.isOwn("192.0.2.1") && !HostAddresses.isOwn("2001:db8::1") && !HostAddresses.isOwn("rig"))
        if let reachable = ReachableAddress.ofThisMachine() {
            #expect(HostAddresses.isOwn(reachable) && !reachable.hasPrefix("127.") && reachable != "::1")
        }
        #expect(HostAddresses.isInterface("lo") && !HostAddresses.isInterface("localhost"))
    }
}

@Suite struct KernelInformationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Reads the load, and refuses other formats")
    func stalls() throws {
        let text = """
            some avg10=12.50 avg60=0.16 avg300=0.29 total=210988191
            full avg10=3.00 avg60=0.00 avg300=0.02 total=67085063

            """
        #expect(StallInformation(text) == StallInformation(some: 12.5, full: 3))
        // Kernels before 5.13 say nothing of all tasks for the processor.
        #expect(StallInformation("some avg10=98.70 avg60=1.00 avg300=1.00 total=1\n") == StallInformation(some: 98.7))
        for text in ["", "some", "some avg10=nan", "some avg10=1e9", "some avg10=-1", "full avg10=1.00", "avg10=1.00"] {
            #expect(StallInformation(text) == nil, "\(text)")
        }
        try folder.write(text, to: "memory")
        #expect(StallInformation.read("memory", in: folder.path)?.full == 3)
        #expect(StallInformation.read("cpu", in: folder.path) == nil)
    }

    private func zone(_ number: Int, _ files: [String: String]) throws {
        for (name, text) in files {
            _ = try ExternalTool.run("mkdir", "-p", "\(folder.path)/thermal_zone\(number)")
            try folder.write(text, to: "thermal_zone\(number)/\(name)")
        }
    }

    @Test("Reads sensors and enabled trip points only")
    func zones() throws {
        try zone(
            0,
            [
                "type": "cpu-thermal\n", "temp": "61500\n", "trip_point_0_type": "active0\n",
                "trip_point_0_temp": "50000\n",
                "trip_point_1_type": "passive\n", "trip_point_1_temp": "80000\n", "trip_point_2_type": "hot\n",
                "trip_point_2_temp": "-274000\n", "trip_point_3_type": "critical\n", "trip_point_3_temp": "110000\n",
                "trip_point_5_type": "hot\n", "trip_point_5_temp": "1\n",
            ])
        try zone(1, ["type": "iwlwifi_1\n", "temp": "\n"])
        try zone(2, ["type": "broken\n", "temp": "99999999999999999999\n"])
        try zone(4, ["type": "acpitz\n", "temp": "-5000\n", "trip_point_0_type": "?\n"])
        let zones = ThermalZone.all(in: folder.path)
        #expect(
            zones == [
                ThermalZone(
                    type: "cpu-thermal", millidegrees: 61_500,
                    tripPoints: [
                        .init(.active, 50_000), .init(.passive, 80_000), .init(.critical, 110_000),
                    ]),
                ThermalZone(type: "acpitz", millidegrees: -5000, tripPoints: []),
            ])
        #expect(ThermalZone.all(in: folder.path + "/nothere") == [])
    }
}

@Suite struct LargeBlocksTests {
    /// In a process of its own, whose heap has no room for such blocks beforehand.
    @Test(
        "Returns the memory of a large message",
        .disabled(
            if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil,
            "the thread sanitizer has an allocator of its own"))
    func largeBlocksAreMapped() async {
        await #expect(processExitsWith: .success) {
            LargeBlocks.returnToSystem()
            // The first of them is what teaches glibc to keep those that follow.
            for _ in 0..<3 {
                let block = unsafe malloc(4 << 20)
                // A block that was mapped by itself begins right behind the header at the beginning of its pages.
                #expect(UInt(bitPattern: block) % 4096 == 16)
                unsafe free(block)
            }
        }
    }
}
