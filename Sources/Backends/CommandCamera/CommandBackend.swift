public import CameraKit
import ChildPrograms
import PosixSupport

/// Cameras that are the output of programs. Those of libcamera are discovered, if the program for them is there; a configuration names any
/// other.
public struct CommandBackend: CaptureBackend {
    public let name = CommandCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = CommandCameraConfiguration.self

    private let helper: String
    /// The longest time for which the program may be silent while libcamera looks for cameras.
    private static let limit = Duration.seconds(20)

    public init() { helper = "caprig-libcamera" }

    /// - Parameter helper: The program that lists those of libcamera.
    init(helper: String) { self.helper = helper }

    /// - Returns: nil without the program: most nodes have no such camera.
    public func discover() async throws(CameraError) -> Discovery? {
        guard (try? ProgramPath.find(helper)) != nil else { return nil }
        let helper = helper
        do throws(PosixError) {
            let lines = try await BlockingCall.run(thread: "list-devices") {
                (try? ChildProgram.lines(of: [helper, "--list"], within: Self.limit)) ?? []
            }
            return Discovery(
                lines.compactMap(LibcameraListing.init),
                absence: "libcamera has found no camera; is one connected, and is this user in the group video?")
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list cameras", reason: error.description)
        }
    }
}
