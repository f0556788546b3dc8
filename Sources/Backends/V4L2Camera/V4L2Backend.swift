public import CameraKit
public import PosixSupport

/// Cameras of the kernel's V4L2 interface.
public struct V4L2Backend: CaptureBackend {
    public let name = V4L2Identity.key
    public let cameras: (any CameraSource.Type)? = V4L2Identity.self

    public init() {}

    public func discover() async throws(CameraError) -> Discovery? {
        Discovery(
            try await CameraListing.ofThisMachine(),
            absence: "This machine shows no V4L2 camera (/sys/class/video4linux); "
                + "plug one in, or give this container its devices.")
    }

    public func arrivals() throws(PosixError) -> AsyncStream<Void>? {
        try DeviceArrivals.announced(bySubsystem: "video4linux")
    }
}
