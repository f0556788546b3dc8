import CameraKit
import CaptureModel

extension SessionCost.USBBus {
    init(_ port: USBPort) {
        self.init(number: port.busNumber, limitBytesPerSecond: port.periodicBytesPerSecond)
    }
}
