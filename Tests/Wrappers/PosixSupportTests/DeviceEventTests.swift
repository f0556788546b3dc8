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
