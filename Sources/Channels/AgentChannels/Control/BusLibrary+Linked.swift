import CaptureModel
import ZeroMQ

extension BusLibrary {
    /// The one that this process is linked with.
    static let linked = BusLibrary(version: ZeroMQLibrary.linked.version, isHardened: ZeroMQLibrary.linked.isHardened)
}
