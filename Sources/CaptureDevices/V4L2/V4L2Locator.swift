import Glibc
import Video4Linux

/// Finds the device node that an identity means.
struct V4L2Locator: Sendable {
    /// Where the kernel lists video devices.
    var systemFolder = "/sys/class/video4linux"
    /// Where the device nodes are.
    var deviceFolder = "/dev"
    /// Asks a node what it is.
    var capabilities: @Sendable (_ path: String) throws(VideoError) -> VideoCapabilities = {
        (path: String) throws(VideoError) in try VideoDevice(path: path).capabilities
    }

    /// The path of the one capture node that `identity` means; a path is taken as it is.
    ///
    /// Nodes that cannot be asked are left out, unless nothing else is found: then the first one's refusal is the error.
    /// - Throws: ``CameraError``: `absent`, `ambiguous`, or why a matching node cannot be asked.
    func path(of identity: V4L2Identity) throws(CameraError) -> String {
        if case .path(let path) = identity { return path }
        var found: [String] = []
        var refusal: CameraError?
        for node in nodes() where mayMatch(node, identity) {
            do throws(VideoError) {
                let answer = try capabilities("\(deviceFolder)/\(node)")
                if answer.capturesVideo, matches(answer, identity) { found.append("\(deviceFolder)/\(node)") }
            } catch {
                if error.errorNumber != ENODEV, error.errorNumber != ENOENT {
                    refusal = refusal ?? CameraError(error, device: identity.description)
                }
            }
        }
        return try onlyOne(of: found, identity, refusal)
    }

    private func onlyOne(
        of found: [String], _ identity: V4L2Identity, _ refusal: CameraError?
    ) throws(CameraError) -> String {
        if found.count > 1 {
            throw CameraError(
                .ambiguous, device: identity.description, operation: "find",
                reason: "\(found.joined(separator: ", ")) all match; name one by its /dev/v4l/by-path link")
        }
        if let path = found.first { return path }
        throw refusal
            ?? CameraError(
                .absent, device: identity.description, operation: "find",
                reason: "no camera of this machine matches; `v4l2-ctl --list-devices` shows what is attached")
    }

    /// The kernel's names of the video nodes, `video2` before `video10`.
    private func nodes() -> [String] {
        SystemFolder.entries(of: systemFolder)
            .filter { $0.hasPrefix("video") && $0.dropFirst(5).allSatisfy(\.isNumber) }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    private func mayMatch(_ node: String, _ identity: V4L2Identity) -> Bool {
        guard case .serial(let serial) = identity else { return true }
        return USBDescription(ofNode: node, systemFolder: systemFolder)?.serial == serial
    }

    private func matches(_ answer: VideoCapabilities, _ identity: V4L2Identity) -> Bool {
        guard case .busInformation(let bus) = identity else { return true }
        return answer.busInformation == bus
    }
}
