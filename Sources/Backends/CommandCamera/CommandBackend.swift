public import CameraKit

/// Cameras that are the output of programs. Those of libcamera are discovered, if the program for them is there; a configuration names any
/// other.
public struct CommandBackend: CaptureBackend {
    public let name = CommandCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = CommandCameraConfiguration.self

    private let helper: String

    public init() { helper = "caprig-libcamera" }

    /// - Parameter helper: The program that lists those of libcamera.
    init(helper: String) { self.helper = helper }

    /// - Returns: nil without the program.
    public func discover() async throws(CameraError) -> Discovery? {
        try await Discovery(
            listedBy: helper,
            absence: "libcamera has found no camera; is one connected, and is this user in the group video?"
        ) { LibcameraListing($0) }
    }
}
