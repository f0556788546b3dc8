import CaptureModel
import PosixSupport
import Video4Linux

/// Knows a camera's exposure time without asking for it on the camera's thread.
///
/// The control is read once when it is made and then every second on a thread of its own, because a USB camera's answer
/// can take long. It is nil while automatic exposure has taken the control over, since its value is not the one in use.
final class ExposureWatch: Sendable {
    private let device: VideoDevice
    private let value = Locked<Duration?>(nil)
    private let stopSignal: EventFlag

    private static let periodMilliseconds: Int32 = 1000
    /// Longer times are taken for nonsense: no free-running camera exposes for ten seconds.
    private static let longest: Int64 = 100_000

    /// Reads the control once, which may block. Nil where the device has none.
    init?(_ device: VideoDevice) throws(VideoError) {
        guard let control = try device.control(VideoControl.exposureAbsolute), control.isReadable else { return nil }
        self.device = device
        do throws(PosixError) {
            stopSignal = try EventFlag()
        } catch {
            throw VideoError(error, devicePath: device.path)
        }
        refresh()
    }

    /// The exposure time as last read.
    var exposure: Duration? { value.withLock { $0 } }

    /// Starts reading; the caller stops it by ``stop()`` and then joins the thread.
    func start(name: String) throws(VideoError) -> NamedThread {
        do throws(PosixError) {
            return try NamedThread(name: name) { [self] in
                while !stopSignal.wait(timeoutMilliseconds: Self.periodMilliseconds) { refresh() }
            }
        } catch {
            throw VideoError(error, devicePath: device.path)
        }
    }

    func stop() {
        stopSignal.signal()
    }

    private func refresh() {
        // A control that cannot be read tells nothing; the next second asks again.
        let control = try? device.control(VideoControl.exposureAbsolute)
        let units = control.flatMap { $0.isInactive ? nil : try? device.value(of: $0) }
        let exposure = units.flatMap { (1...Self.longest).contains($0) ? Duration.microseconds($0 * 100) : nil }
        value.withLock { $0 = exposure }
    }
}
