public import CaptureModel

/// One device with its condition: an element of ``DevicesDocument``.
public struct DeviceDocument: Encodable, Sendable {
    private let status: DeviceStatus

    public init(_ status: DeviceStatus) {
        self.status = status
    }

    public func encode(to encoder: any Encoder) throws {
        try DevicesDocument.Item(status).encode(to: encoder)
    }
}
