import CameraKit
import CaptureModel
import Spool

/// The controls of a session's camera that captures set and put back. What is to be put back is in the spool as well, so that an
/// end of the process does not leave the camera changed.
final class CameraControls {
    private unowned let session: any SessionAccess
    /// What undoes the controls that a capture has set; empty where they are as they were found.
    private var undo: [String: Int64] = [:]
    /// When that was last tried.
    private var lastAttempt = LocalTime(nanoseconds: 0)

    init(_ session: any SessionAccess) {
        self.session = session
    }

    /// Whether no capture has set any, or all are put back.
    var areAsFound: Bool { undo.isEmpty }

    private var device: DeviceID { session.device.id }

    /// The controls as they stand.
    func present() async throws(CaptureProblem) -> CaptureControls {
        do throws(CameraError) {
            return CaptureControls(device: device, controls: try await session.stream?.stream.controls() ?? [])
        } catch {
            throw CaptureProblem(.deviceLost, "\(device): its controls cannot be read: \(error.reason)")
        }
    }

    /// Sets them for a picture of a capture.
    func apply(_ values: [String: Int64], of plan: CapturePlan) async throws(CaptureProblem) -> AppliedSetting {
        // Closing undoes what was set before it; what is set after that would stay.
        guard let stream = session.stream?.stream, session.machine.hardware == .open else {
            throw CaptureProblem(.deviceLost, "\(device) broke off after it was armed: \(session.stateDescription)")
        }
        undo = plan.undo
        do throws(CameraError) {
            let read = try await stream.setControls(values)
            let exposure = values[CaptureControls.exposure].map { read[CaptureControls.exposure] ?? $0 }
            return AppliedSetting(
                since: session.clock.now(),
                exposure: exposure.map { .nanoseconds($0 &* CaptureControls.exposureUnit) },
                interval: session.interval)
        } catch {
            let code: CaptureProblem.Code = error.code == .unsupportedControl ? .unsupportedSettings : .deviceLost
            throw CaptureProblem(code, "\(device) could not be set for the capture: \(error.reason)")
        }
    }

    /// Puts back what a capture has set; where the device refuses, again with the frames that come.
    func putBack() async {
        guard !undo.isEmpty, let stream = session.stream?.stream else { return }
        lastAttempt = session.clock.now()
        do throws(CameraError) {
            _ = try await stream.setControls(undo)
            undo = [:]
            await session.spool.forgetControls(of: device)
        } catch {
            // Tried again by `putBackLeft()`, on this stream or the next one.
        }
    }

    /// Puts back what an earlier life of the process has set and did not come to put back; where the device refuses, again
    /// with the frames that come.
    func restore() async {
        let device = device
        if undo.isEmpty, session.spool.mayKeepControls(of: device) {
            undo = await session.spool.keptControls(of: device) ?? [:]
        }
        await putBack()
    }

    /// Puts back what the device has refused to take back; at most once a second.
    func putBackLeft() async {
        guard !undo.isEmpty, session.clock.now() - lastAttempt >= .seconds(1) else { return }
        await putBack()
    }

    /// Another camera has taken the place of the one that was set.
    func forget() { undo = [:] }
}
