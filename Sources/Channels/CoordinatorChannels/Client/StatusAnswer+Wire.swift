import CaptureModel
import FoundationEssentials
import RigCore
import RigProtocol
import RigWire
import SwiftProtobuf

extension RigSnapshot {
    /// The status without the fields that only the channels know.
    var wire: WireRigStatus {
        var wire = WireRigStatus()
        wire.rigClockID = rigClock.rawValue
        wire.rigNowNs = now.nanoseconds
        wire.nodes = nodes.map(\.wire)
        wire.openShots = UInt32(clamping: openShots)
        wire.takes = takes.prefix(WireLimits.openTakes).map(\.wire)
        wire.triggerTimeoutNs = triggerTimeout.nanoseconds
        if let hold { wire.hold = hold.wire }
        if let holdVersion { wire.holdVersion = holdVersion.wire }
        wire.libraryFreeBytes = libraryFreeBytes ?? 0
        if let librarySilence { wire.librarySilentNs = librarySilence.nanoseconds }
        if let libraryProblem { wire.libraryProblem = libraryProblem.wire }
        wire.gateways = gateways.map(\.wire)
        wire.shotCounts = shotCounts.wire
        if let retention { wire.retention = retention.wire }
        if let devices, devices.count <= WireLimits.devicesInStatus { wire.deviceList = WireDeviceList(devices) }
        if refusedReads > 0 { wire.droppedMessages["client.refusedReads"] = refusedReads }
        if refusedPictures > 0 { wire.droppedMessages["client.refusedPictures"] = refusedPictures }
        return wire
    }
}

extension WireDeviceList {
    init(_ devices: [DeviceStatus]) {
        self.init()
        self.devices = devices.map(\.wire)
    }
}

extension ServingGateway {
    fileprivate var wire: WireGatewayStatus {
        .with {
            $0.name = name
            $0.address = announcement.address
            $0.certificateSha256 = Data(announcement.certificate?.bytes ?? [])
        }
    }
}
