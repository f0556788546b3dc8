import CameraKit
import Foundation
import Glibc
import Testing
import Video4Linux

@testable import V4L2Camera

/// A sysfs and a `/dev` of USB cameras in a temporary folder, with the answers their nodes would give.
final class FakeSystemTree: Sendable {
    let root: URL
    private let answers: [String: VideoCapabilities]
    private let refusals: [String: Int32]

    /// One video node of a camera.
    struct Node {
        var name: String
        var serial: String?
        /// The socket: `1-2` is port 2 of the first root hub.
        var bus: String
        var index = 0
        var capturesVideo = true
        var refusal: Int32?
        var driver = "uvcvideo"
    }

    init(_ nodes: [Node]) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "caprig-\(UUID().uuidString)")
        var answers: [String: VideoCapabilities] = [:]
        var refusals: [String: Int32] = [:]
        for node in nodes {
            answers[node.name] = VideoCapabilities(
                driver: node.driver, card: "Camera", busInformation: Self.bus(node),
                flags: node.capturesVideo ? 0x0400_0001 : 0x0480_0000)
            refusals[node.name] = node.refusal
        }
        self.answers = answers
        self.refusals = refusals
        for node in nodes { try make(node) }
    }

    deinit {
        try? FileManager.default.removeItem(at: root)
    }

    /// What a USB driver answers for this socket.
    static func bus(_ node: Node) -> String { bus(node.bus) }
    static func bus(_ socket: String) -> String { "usb-0000:00:14.0-\(port(socket))" }

    private static func port(_ socket: String) -> Substring { socket.drop { $0 != "-" }.dropFirst() }

    /// As the kernel lays it out: the class folder holds links to nodes below their USB interface.
    private func make(_ node: Node) throws {
        let files = FileManager.default
        let device = root.appending(path: "devices/pci0000:00/0000:00:14.0/usb1/\(node.bus)")
        let interface = device.appending(path: "\(node.bus):1.0")
        let video = interface.appending(path: "video4linux/\(node.name)")
        try files.createDirectory(at: video, withIntermediateDirectories: true)
        try files.createDirectory(at: classFolder, withIntermediateDirectories: true)
        try files.createSymbolicLink(at: video.appending(path: "device"), withDestinationURL: interface)
        try files.createSymbolicLink(at: classFolder.appending(path: node.name), withDestinationURL: video)
        try Data("Camera\n".utf8).write(to: video.appending(path: "name"))
        try Data("\(node.index)\n".utf8).write(to: video.appending(path: "index"))
        try Data("\(Self.port(node.bus))\n".utf8).write(to: device.appending(path: "devpath"))
        try Data("046d\n".utf8).write(to: device.appending(path: "idVendor"))
        try Data("082d\n".utf8).write(to: device.appending(path: "idProduct"))
        try Data("Maker of Cameras\n".utf8).write(to: device.appending(path: "manufacturer"))
        if let serial = node.serial { try Data("\(serial)\n".utf8).write(to: device.appending(path: "serial")) }
        try makeLinks(node)
    }

    /// As udev makes them: one link by socket, and one by words that the last camera of these words takes over.
    private func makeLinks(_ node: Node) throws {
        let (files, target) = (FileManager.default, devices.appending(path: node.name))
        for folder in [devices, devices.appending(path: "v4l/by-path"), devices.appending(path: "v4l/by-id")] {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try Data().write(to: target)
        try files.createSymbolicLink(
            atPath: pathLink(node.bus, index: node.index), withDestinationPath: "../../\(node.name)")
        let words = idLink(node.serial, index: node.index)
        try? files.removeItem(atPath: words)
        try files.createSymbolicLink(atPath: words, withDestinationPath: "../../\(node.name)")
    }

    /// The link that names a socket.
    func pathLink(_ socket: String, index: Int = 0) -> String {
        devices.path + "/v4l/by-path/pci-0000:00:14.0-usb-0:\(Self.port(socket)):1.0-video-index\(index)"
    }

    /// The link that names cameras of this serial number.
    func idLink(_ serial: String?, index: Int = 0) -> String {
        devices.path + "/v4l/by-id/usb-Maker_of_Cameras_Camera\(serial.map { "_" + $0 } ?? "")-video-index\(index)"
    }

    /// A node's path at present.
    func path(_ node: String) -> String { devices.path + "/" + node }

    private var classFolder: URL { root.appending(path: "class/video4linux") }
    private var devices: URL { root.appending(path: "dev") }

    var systemFolder: String { classFolder.path }

    /// A locator that looks at this tree and opens nothing.
    var locator: V4L2Locator {
        let answers = answers
        let refusals = refusals
        let tree = VideoNodeTree(systemFolder: systemFolder, deviceFolder: devices.path)
        return V4L2Locator(tree: tree) { (path: String) throws(VideoError) in
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            guard let answer = answers[name], refusals[name] == nil else {
                throw VideoError(errorNumber: refusals[name] ?? ENOENT, operation: "open", devicePath: path)
            }
            return answer
        }
    }
}

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

    @Test("The metadata of a camera are those of the next node of its interface") func metadata() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", serial: "AAA", bus: "1-1"),
            .init(name: "video2", serial: "AAA", bus: "1-1", index: 1, capturesVideo: false),
            .init(name: "video3", serial: "AAA", bus: "1-1", index: 2),
            .init(name: "video4", serial: "AAA", bus: "1-1", index: 3, capturesVideo: false),
            .init(name: "video1", serial: "BBB", bus: "1-2"),
            .init(name: "video5", serial: "BBB", bus: "1-2", index: 1),
        ])
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video0")) == tree.path("video2"))
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video3")) == tree.path("video4"))
        #expect(tree.locator.metadataPath(besideNodeAt: tree.pathLink("1-1")) == tree.path("video2"))
        // The next node captures video too; or there is none.
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video1")) == nil)
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video5")) == nil)
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video9")) == nil)
    }

    @Test("Metadata of other drivers, and of a node that is refused, are not used") func otherMetadata() throws {
        let tree = try FakeSystemTree([
            .init(name: "video0", bus: "1-1", driver: "vivid"),
            .init(name: "video1", bus: "1-1", index: 1, capturesVideo: false, driver: "vivid"),
            .init(name: "video2", bus: "1-2"),
            .init(name: "video3", bus: "1-2", index: 1, capturesVideo: false, refusal: EACCES),
        ])
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video0")) == nil)
        #expect(tree.locator.metadataPath(besideNodeAt: tree.path("video2")) == nil)
    }

    @Test func thePhotosWouldNotNameTheirCamerasMakerAndSerial() throws {
        let tree = try twoCameras()
        let usb = USBDescription(ofNode: "video2", systemFolder: tree.systemFolder)
        #expect(usb?.manufacturer == "Maker of Cameras")
        #expect(usb?.serial == "BBB")
        #expect(USBDescription(ofNode: "video7", systemFolder: tree.systemFolder) == nil)
    }
}
