/// A camera's description of itself when it is open.
public struct CameraHardware: Hashable, Codable, Sendable {
    public var make: String?
    public var model: String?
    public var serial: String?
    /// Its connection, such as `usb-0000:00:14.0-1`.
    public var busInformation: String?

    public init(make: String? = nil, model: String? = nil, serial: String? = nil, busInformation: String? = nil) {
        self.make = make
        self.model = model
        self.serial = serial
        self.busInformation = busInformation
    }
}
