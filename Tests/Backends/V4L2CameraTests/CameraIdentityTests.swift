import CameraKit
import CaptureModel
import Foundation
import Glibc
import Testing
import Video4Linux

@testable import V4L2Camera

struct CameraIdentityTests {
    /// Two cameras of one model without serial numbers, whose nodes have the numbers `first` and `second`.
    private func twins(first: String, second: String, serial: String? = nil) throws -> FakeSystemTree {
        try FakeSystemTree([
            .init(name: first, serial: serial, bus: "1-1"), .init(name: second, serial: serial, bus: "1-2"),
        ])
    }

    private func node(_ identity: V4L2Identity, _ tree: FakeSystemTree) throws -> String? {
        tree.locator.tree.nodeName(at: try tree.locator.path(of: identity))
    }

    @Test func identicalCamerasWouldSwapNamesWhenTheirNodesAreNumberedAnew() throws {
        let before = try twins(first: "video0", second: "video2")
        let after = try twins(first: "video2", second: "video0")
        for (tree, first, second) in [(before, "video0", "video2"), (after, "video2", "video0")] {
            #expect(try node(.path(tree.pathLink("1-1")), tree) == first)
            #expect(try node(.path(tree.pathLink("1-2")), tree) == second)
            #expect(try node(.busInformation(FakeSystemTree.bus("1-1")), tree) == first)
            #expect(try node(.busInformation(FakeSystemTree.bus("1-2")), tree) == second)
        }
    }

    @Test func theNameOfAnAbsentCameraWouldGoToItsTwin() throws {
        let tree = try FakeSystemTree([.init(name: "video0", bus: "1-2")])
        #expect(tree.locator.access(to: .path(tree.pathLink("1-1"))).status == .notDetermined)
        let error = #expect(throws: CameraError.self) {
            try tree.locator.path(of: .busInformation(FakeSystemTree.bus("1-1")))
        }
        #expect(error?.code == .absent)
    }

    @Test(arguments: ["0001", nil])
    func aLinkByIdWouldLeadToWhicheverTwinCameLast(_ serial: String?) throws {
        let tree = try twins(first: "video0", second: "video2", serial: serial)
        let link = V4L2Identity.path(tree.idLink(serial))
        let error = #expect(throws: CameraError.self) { try tree.locator.path(of: link) }
        #expect(error?.code == .ambiguous)
        for socket in ["1-1", "1-2"] {
            #expect(error?.reason.contains(V4L2Identity.path(tree.pathLink(socket)).configurationLine) == true)
        }
        #expect(tree.locator.access(to: link).status == .notDetermined)
    }

    @Test func aLinkByIdOfOneCameraWouldBeRefusedForAnotherModelsSake() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", serial: "AAA", bus: "1-1"),
            .init(name: "video1", serial: "AAA", bus: "1-1", index: 1, capturesVideo: false),
            .init(name: "video2", serial: "BBB", bus: "1-2"),
        ])
        #expect(try node(.path(tree.idLink("AAA")), tree) == "video0")
    }

    @Test func camerasOfAHubWouldHaveTheHubsBusName() throws {
        let tree = try FakeSystemTree([.init(name: "video0", bus: "1-1.3")])
        let usb = USBDescription(ofNode: "video0", systemFolder: tree.systemFolder)
        #expect(usb?.busInformation == "usb-0000:00:14.0-1.3")
        #expect(usb?.model == "046d:082d")
    }

    @Test(arguments: [String(repeating: "7", count: 129), "7\u{1B}[2J"])
    func `A serial number that no configuration can have is not offered`(serial: String) throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", serial: serial, bus: "1-1"),
            .init(name: "video2", serial: String(serial.prefix(1)), bus: "1-2"),
        ])
        let lines = tree.locator.listings().map(\.configurationLines)
        #expect(lines.first?.first == V4L2Identity.path(tree.pathLink("1-1")).configurationLine)
        #expect(lines.last?.first == V4L2Identity.serial("7").configurationLine)
    }

    @Test func theListWouldOfferLinesThatMeanAnotherCamera() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", serial: "AAA", bus: "1-1"), .init(name: "video2", serial: "0001", bus: "1-2"),
            .init(name: "video4", serial: "0001", bus: "1-3"), .init(name: "video6", bus: "1-4"),
            .init(name: "video7", bus: "1-4", index: 1, capturesVideo: false),
        ])
        let listings = tree.locator.listings()
        #expect(listings.map(\.node) == ["video0", "video2", "video4", "video6"].map(tree.path))
        #expect(listings.map(\.isSerialUnique) == [true, false, false, nil])
        #expect(listings[0].configurationLines.first == #"source: { v4l2: { serial: "AAA" } }"#)
        for (listing, socket) in zip(listings[1...], ["1-2", "1-3", "1-4"]) {
            #expect(
                listing.configurationLines == [
                    V4L2Identity.path(tree.pathLink(socket)).configurationLine,
                    V4L2Identity.busInformation(FakeSystemTree.bus(socket)).configurationLine,
                ])
        }
    }

    @Test func aForbiddenCameraWouldBeMissingFromTheList() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", bus: "1-1", refusal: EACCES),
            .init(name: "video1", bus: "1-1", index: 1, refusal: EACCES),
        ])
        let listings = tree.locator.listings()
        #expect(listings.map(\.node) == [tree.path("video0")])
        #expect(listings.first?.card == "Camera" && listings.first?.bus == FakeSystemTree.bus("1-1"))
        #expect(listings.first?.driver == nil)
    }

    @Test func aSerialNumbersOddCharactersWouldSpoilTheConfiguration() {
        let line = V4L2Identity.serial("a\"b\\c\n{}: #").configurationLine
        #expect(line == #"source: { v4l2: { serial: "a\"b\\c\u000a{}: #" } }"#)
    }

    @Test func askingWhetherACameraMayBeOpenedWouldOpenIt() throws {
        // Its nodes refuse to be asked what they are, so an answer comes from sysfs and permissions alone.
        let tree = try FakeSystemTree([.init(name: "video0", serial: "AAA", bus: "1-1", refusal: EBUSY)])
        for identity in [V4L2Identity.serial("AAA"), .busInformation(FakeSystemTree.bus("1-1"))] {
            #expect(tree.locator.access(to: identity).status == .authorized)
        }
    }
}

struct CameraErrorTests {
    @Test(
        arguments: [
            (ENOENT, "open", CameraError.Code.absent), (ENODEV, "VIDIOC_DQBUF", .absent), (ENXIO, "open", .absent),
            (EBUSY, "VIDIOC_STREAMON", .busy), (EACCES, "open", .denied), (EPERM, "open", .denied),
            (ENOSPC, "VIDIOC_STREAMON", .noBandwidth), (EINVAL, "VIDIOC_S_FMT", .unsupportedFormat),
            (EINVAL, "VIDIOC_QBUF", .failed), (EIO, "VIDIOC_DQBUF", .failed), (ENOTTY, "VIDIOC_QUERYCAP", .failed),
        ] as [(Int32, String, CameraError.Code)])
    func aFailureWouldBeCalledByAnotherName(_ errorNumber: Int32, _ operation: String, _ code: CameraError.Code) {
        let error = VideoError(errorNumber: errorNumber, operation: operation, devicePath: "/dev/video9")
        #expect(CameraError(error, device: "serial A").code == code)
    }

    @Test func thePersonWouldNotBeToldWhichGroupMayOpenTheDevice() {
        let error = VideoError(errorNumber: EACCES, operation: "open", devicePath: "/dev/video9")
        let text = CameraError(error, device: "/dev/video9").description
        #expect(text.contains("Permission denied") && text.contains("`video` group") && text.contains("udev rule"))
    }

    @Test func `the port of a camera is that of its node in sysfs`() throws {
        let tree = try FakeSystemTree([.init(name: "video0", bus: "1-1"), .init(name: "video2", bus: "1-2")])
        let devices = tree.root.appending(path: "bus")
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        for (socket, bus, speed) in [("1-1", 1, "480"), ("1-2", 1, "12")] {
            let device = tree.root.appending(path: "devices/pci0000:00/0000:00:14.0/usb1/\(socket)")
            try Data("\(bus)\n".utf8).write(to: device.appending(path: "busnum"))
            try Data("\(speed)\n".utf8).write(to: device.appending(path: "speed"))
            try FileManager.default.createSymbolicLink(at: devices.appending(path: socket), withDestinationURL: device)
        }
        let port = tree.locator.usbPort(of: .path(tree.pathLink("1-1")), devicesFolder: devices.path)
        #expect(port?.busNumber == 1 && port?.bitsPerSecond == 480_000_000)
        #expect(tree.locator.usbPort(of: .path("/nowhere"), devicesFolder: devices.path) == nil)
    }

    @Test func aMissingDeviceWouldTrapOrHang() async {
        let camera = V4L2Camera(name: "none", identity: .path("/nowhere/video0"))
        for _ in 0..<2 {
            let error = await #expect(throws: CameraError.self) {
                try await camera.start(.init(), clock: StoppedClock())
            }
            #expect(error?.code == .absent)
        }
    }

    @Test func aFileThatIsNoVideoDeviceWouldBeStreamedFrom() async {
        let camera = V4L2Camera(name: "null", identity: .path("/dev/null"))
        let error = await #expect(throws: CameraError.self) { try await camera.start(.init(), clock: StoppedClock()) }
        #expect(error?.code == .failed)
        #expect(error?.reason.contains("not a video device") == true)
    }
}

/// A clock that stands at zero, for cameras that never deliver.
struct StoppedClock: TimeSource {
    func now() -> LocalTime { LocalTime(nanoseconds: 0) }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: 0)
    }

    func sleep(until deadline: LocalTime) async throws {}
}
