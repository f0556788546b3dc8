import CameraKit
import Glibc
import Testing
import Video4Linux

@testable import V4L2Camera

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
        #expect(error?.reason.contains("no video device") == true)
    }
}
