import CaptureEngine
import CaptureModel
import RigProtocol
import RigWire

/// A prepare message, checked.
struct PrepareOrder: Sendable {
    let shot: ShotID
    let devices: [DeviceName]
    private let order: WirePrepare
    private let settings: PhotoSettings

    /// - Throws: Where a field is not valid; the message is then dropped and counted.
    init(_ wire: WirePrepare) throws {
        let reader = FieldReader("Prepare")
        shot = try reader.shotID(wire.shotID)
        devices = try reader.list(wire.devices, "devices", limit: WireLimits.devicesPerNode).map {
            try DeviceName($0)
        }
        settings = try PhotoSettings(wire: wire.settings)
        order = wire
    }

    func captureOrder(for key: CaptureKey) -> CaptureOrder {
        CaptureOrder(
            key: key, time: RigTime(nanoseconds: order.rigTimeNs), rigClock: RigClockID(rawValue: order.rigClockID),
            pinnedUntil: RigTime(nanoseconds: order.pinnedUntilRigNs), settings: settings,
            realtimeAtTime: order.realtimeAtTimeNs, utcOffsetMinutes: Int(order.utcOffsetMinutes))
    }
}
