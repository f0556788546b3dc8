public import CameraKit
public import CaptureModel
import PosixSupport
import Video4Linux

extension V4L2Camera {
    public var identityDescription: String? { identity.description }

    /// By the permissions of the device node; the node is not opened, except that a camera that is named by a bus other
    /// than USB is looked for by asking each node what it is.
    public func authorization() async -> AuthorizationStatus {
        await access().status
    }

    public func authorizationRemedy() async -> String? {
        await access().remedy
    }

    private func access() async -> NodeAccess {
        let (locator, identity) = (locator, identity)
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "ask-\(name)") { locator.access(to: identity) }
        } catch {
            return NodeAccess(.notDetermined, remedy: error.description)
        }
    }

    /// Opens the device a second time where it streams, which V4L2 allows.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        let (locator, identity, driverFormat) = (locator, identity, driverFormat)
        let outcome: Result<DeviceCapabilities, CameraError>
        do throws(PosixError) {
            outcome = try await BlockingCall.run(thread: "ask-\(name)") {
                Result { () throws(CameraError) in try DeviceCapabilities(identity, driverFormat, locator) }
            }
        } catch {
            throw CameraError(VideoError(error, devicePath: identity.description), device: identity.description)
        }
        return try outcome.get()
    }
}

extension DeviceCapabilities {
    /// Finds, opens and asks a device. Blocks.
    fileprivate init(
        _ identity: V4L2Identity, _ driverFormat: FourCC?, _ locator: V4L2Locator
    ) throws(CameraError) {
        let path = try locator.path(of: identity)
        let device: VideoDevice
        do throws(VideoError) {
            device = try VideoDevice(path: path)
        } catch {
            throw CameraError(error, device: identity.description)
        }
        try V4L2Setup.requireCapture(device, identity.description)
        do throws(VideoError) {
            self.init(
                formats: try FormatOffer.all(of: device, only: driverFormat),
                controls: try DeviceControl.all(of: device))
        } catch {
            throw CameraError(error, device: identity.description)
        }
    }
}
