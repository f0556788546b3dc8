import Foundation
import Glibc
import Video4Linux

@testable import CaptureDevices

/// A sysfs of USB cameras in a temporary folder, with the answers their nodes would give.
final class FakeSystemTree: Sendable {
    let root: URL
    private let answers: [String: VideoCapabilities]
    private let refusals: [String: Int32]

    /// One video node of a camera.
    struct Node {
        var name: String
        var serial: String?
        var bus: String
        var capturesVideo = true
        var refusal: Int32?
    }

    init(_ nodes: [Node]) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "caprig-\(UUID().uuidString)")
        var answers: [String: VideoCapabilities] = [:]
        var refusals: [String: Int32] = [:]
        for node in nodes {
            answers["/dev/\(node.name)"] = VideoCapabilities(
                driver: "uvcvideo", card: "Camera", busInformation: node.bus,
                flags: node.capturesVideo ? 0x0400_0001 : 0x0480_0000)
            refusals["/dev/\(node.name)"] = node.refusal
        }
        self.answers = answers
        self.refusals = refusals
        for node in nodes { try make(node) }
    }

    deinit {
        try? FileManager.default.removeItem(at: root)
    }

    /// As the kernel lays it out: the class folder holds links to nodes below their USB interface.
    private func make(_ node: Node) throws {
        let files = FileManager.default
        let device = root.appending(path: "devices/\(node.bus)")
        let interface = device.appending(path: "\(node.bus):1.0")
        let video = interface.appending(path: "video4linux/\(node.name)")
        try files.createDirectory(at: video, withIntermediateDirectories: true)
        try files.createDirectory(at: classFolder, withIntermediateDirectories: true)
        try files.createSymbolicLink(at: video.appending(path: "device"), withDestinationURL: interface)
        try files.createSymbolicLink(at: classFolder.appending(path: node.name), withDestinationURL: video)
        try Data("046d\n".utf8).write(to: device.appending(path: "idVendor"))
        try Data("Maker of Cameras\n".utf8).write(to: device.appending(path: "manufacturer"))
        if let serial = node.serial { try Data("\(serial)\n".utf8).write(to: device.appending(path: "serial")) }
    }

    private var classFolder: URL { root.appending(path: "class/video4linux") }

    var systemFolder: String { classFolder.path }

    /// A locator that looks at this tree and opens nothing.
    var locator: V4L2Locator {
        let answers = answers
        let refusals = refusals
        return V4L2Locator(systemFolder: systemFolder, deviceFolder: "/dev") { (path: String) throws(VideoError) in
            guard let answer = answers[path], refusals[path] == nil else {
                throw VideoError(errorNumber: refusals[path] ?? ENOENT, operation: "open", devicePath: path)
            }
            return answer
        }
    }
}
