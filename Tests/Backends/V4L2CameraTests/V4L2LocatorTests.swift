import CameraKit
import Glibc
import Testing

@testable import V4L2Camera

struct V4L2LocatorTests {
    private func twoCameras() throws -> FakeSystemTree {
        try FakeSystemTree([
            .init(name: "video0", serial: "AAA", bus: "1-1"),
            .init(name: "video1", serial: "AAA", bus: "1-1", index: 1, capturesVideo: false),
            .init(name: "video2", serial: "BBB", bus: "1-2"),
            .init(name: "video10", serial: "BBB", bus: "1-2", index: 1, capturesVideo: false),
        ])
    }

    @Test func camerasWouldSwapNamesWhenTheyArePluggedInAnotherOrder() throws {
        let tree = try twoCameras()
        #expect(try tree.locator.path(of: .serial("BBB")) == tree.path("video2"))
        #expect(try tree.locator.path(of: .serial("AAA")) == tree.path("video0"))
        #expect(try tree.locator.path(of: .busInformation(FakeSystemTree.bus("1-2"))) == tree.path("video2"))
    }

    @Test func aPathWouldBeReplacedByAnotherCamera() throws {
        let tree = try twoCameras()
        #expect(try tree.locator.path(of: .path("/dev/v4l/by-path/x")) == "/dev/v4l/by-path/x")
    }

    @Test func oneOfTwoCamerasWithTheSameSerialWouldBePickedByChance() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", serial: "0001", bus: "1-1"), .init(name: "video2", serial: "0001", bus: "1-2"),
        ])
        let error = #expect(throws: CameraError.self) { try tree.locator.path(of: .serial("0001")) }
        #expect(error?.code == .ambiguous)
        for (node, socket) in [("video0", "1-1"), ("video2", "1-2")] {
            let line = V4L2Identity.path(tree.pathLink(socket)).configurationLine
            #expect(error?.reason.contains("`\(line)` for \(tree.path(node))") == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [V4L2Identity.serial("CCC"), .serial(""), .busInformation("9-9")])
    func anUnpluggedCameraWouldBeReplacedByAnother(_ identity: V4L2Identity) throws {
        let tree = try twoCameras()
        let error = #expect(throws: CameraError.self) { try tree.locator.path(of: identity) }
        #expect(error?.code == .absent)
    }

    @Test func aCameraThatMayNotBeOpenedWouldBeCalledAbsent() throws {
        let tree = try FakeSystemTree([.init(name: "video0", serial: "AAA", bus: "1-1", refusal: EACCES)])
        let error = #expect(throws: CameraError.self) { try tree.locator.path(of: .serial("AAA")) }
        #expect(error?.code == .denied)
    }

    @Test func aForbiddenCameraWouldHideTheOneThatIsMeant() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", bus: "1-1", refusal: EACCES), .init(name: "video1", bus: "1-2"),
        ])
        #expect(try tree.locator.path(of: .busInformation(FakeSystemTree.bus("1-2"))) == tree.path("video1"))
    }

    @Test func aMachineWithoutAnyCameraWouldTrap() {
        let locator = V4L2Locator(tree: VideoNodeTree(systemFolder: "/nowhere", deviceFolder: "/nowhere"))
        let error = #expect(throws: CameraError.self) { try locator.path(of: .serial("AAA")) }
        #expect(error?.code == .absent)
    }

    @Test func thePhotosWouldNotNameTheirCamerasMakerAndSerial() throws {
        let tree = try twoCameras()
        let usb = USBDescription(ofNode: "video2", systemFolder: tree.systemFolder)
        #expect(usb?.manufacturer == "Maker of Cameras")
        #expect(usb?.serial == "BBB")
        #expect(USBDescription(ofNode: "video7", systemFolder: tree.systemFolder) == nil)
    }
}
